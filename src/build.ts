declare const __HOOKLOOP_VERSION__: string | undefined;
declare const __HOOKLOOP_BUILD__: string | undefined;

/** Both are filled in when the program is bundled. */
export const version: string = typeof __HOOKLOOP_VERSION__ === 'string' ? __HOOKLOOP_VERSION__ : 'source';
export const build: string = typeof __HOOKLOOP_BUILD__ === 'string' ? __HOOKLOOP_BUILD__ : 'source';
