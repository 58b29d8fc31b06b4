export { type StructuredAnswer, StructuredAnswers, type StructuredQuestion } from './structured-answers.service';
