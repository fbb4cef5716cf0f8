/** The only door to the protocol's SDK. */
export type {
  AgentCapabilities,
  AnyMessage,
  ClientConnection,
  McpServer,
  NewSessionResponse,
  PermissionOption,
  RequestPermissionRequest,
  RequestPermissionResponse,
  Stream,
} from '@agentclientprotocol/sdk';

/** It takes a tenth of a second to load, so only who needs it does. */
export const loadSdk = () => import('@agentclientprotocol/sdk');
