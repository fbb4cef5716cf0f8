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
export { answeredMeaning, isSameAnswer, type Settlement } from './store/answer.ts';
export { approvalsFolder } from './store/folder.ts';
export type { Question } from './store/question.ts';
