export { answerForOthers } from './foreign-events';
export { QuestionAccessAudit } from './question-access-audit.service';
export { RunAccess } from './run-access.service';
export { RunReplayDto } from './run.dto';
export { RunsApiModule } from './runs-api.module';
export { presentRun } from './run-view';
