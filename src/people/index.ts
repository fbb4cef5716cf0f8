export type { Question } from '../session/questions/questions.ts';
export { approvalsFolder } from '../session/questions/questions.ts';
export { answeredMeaning, isSameAnswer, type Settlement } from '../session/questions/settlement.ts';
export type { Clock } from '../session/questions/wait.ts';
export {
  answerAsUser,
  type FoundQuestion,
  findByTyped,
  type PersonsAnswer,
  waitingQuestions,
} from './answers.ts';
export { type ApprovalsOptions, createApprovals } from './open.ts';
export type { Approvals, AskRequest, OpenQuestion } from './port.ts';
export { joinServer, type ServerSeat } from './server/share.ts';
