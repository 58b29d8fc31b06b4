export { AnswerAssembler } from './answer-assembler';
export { ToolCallingModule } from './tool-calling.module';
export { ToolLoop } from './tool-loop.service';
export type { LoopInput, RoundAnswer } from './tool-loop.types';
export { wantsFunctions } from './wants-functions';
