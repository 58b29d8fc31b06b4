export { AnswerAssembler } from './answer-assembler';
export { ToolCallingModule } from './tool-calling.module';
export { type LoopInput, type RoundAnswer, ToolLoop, wantsFunctions } from './tool-loop.service';
