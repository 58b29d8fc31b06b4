export { type ImportedRubric, RubricImport } from './rubric-document';
export { type CriterionShare, criterionShares, howToJudge } from './rubric-markdown';
export {
  RUBRIC_FORMATS,
  RUBRIC_VISIBILITIES,
  type RubricDocument,
  type RubricFormat,
  type RubricVisibility,
} from './rubric.types';
export { RubricsModule } from './rubrics.module';
export { type CreateRubric, RubricsService } from './rubrics.service';
