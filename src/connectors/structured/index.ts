export {
  type StructuredAnswer,
  StructuredAnswers,
  type StructuredQuestion,
  UnfitAnswer,
} from './structured-answers.service';
