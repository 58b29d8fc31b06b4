export {
  RUBRIC_FORMATS,
  RUBRIC_VISIBILITIES,
  type RubricDocument,
  type RubricFormat,
  type RubricVisibility,
} from './rubric.types';
export { type ImportedRubric, RubricImport } from './rubric-import';
export { criterionShares, type CriterionShare, howToJudge } from './rubric-scoring';
export { RubricsModule } from './rubrics.module';
export { type CreateRubric, RubricsService } from './rubrics.service';
