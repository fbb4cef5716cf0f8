export { answeredMeaning, isSameAnswer, type Settlement } from '../session/questions/answer.ts';
export { approvalsFolder } from '../session/questions/folder.ts';
export type { Question } from '../session/questions/question.ts';
export {
  answerAsUser,
  type FoundQuestion,
  findByTyped,
  type PersonsAnswer,
  waitingQuestions,
} from './answers.ts';
export type { Clock } from './clock.ts';
export { type ApprovalsOptions, createApprovals } from './open.ts';
export type { ApprovalAnswer, Approvals, AskRequest, OpenQuestion } from './port.ts';
export { joinServer, type ServerSeat } from './server/share.ts';
