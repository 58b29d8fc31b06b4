import { ApiProperty, PartialType } from '@nestjs/swagger';
import { MayBeOmitted, PageQueryDto, Text, OneOf, PageOf, Fraction } from '../infrastructure/http';
import {
  RUBRIC_FORMATS,
  RUBRIC_VISIBILITIES,
  type RubricFormat,
  type RubricVisibility,
  SCORING_TYPES,
  type ScoringType,
} from './rubric.types';

class RubricLevelDto {
  id!: string;
  @Fraction() score!: number;
  label!: string;
  description!: string;
  @Fraction({ required: false }) order?: number;
}

class RubricCriterionDto {
  id!: string;
  name!: string;
  description!: string;
  /** At least 0. Weights count relative to their sum. */
  @Fraction() weight!: number;
  /** At least two. */
  levels!: RubricLevelDto[];
  @Fraction({ required: false }) order?: number;
}

class RubricMetadataDto {
  createdAt!: string;
  modifiedAt!: string;
  subject?: string;
  gradeLevel?: string;
  author?: string;
  tags?: string[];
}

/** A rubric document. It is stored as given, with members beyond these; `id`, `owner` and other members that the service sets are refused. */
export class RubricDocumentDto {
  /** The document's own name, at least 10 characters. */
  @ApiProperty({ example: 'essay-about-one-number' })
  rubricId!: string;
  @ApiProperty({ example: 'Essay about one number' })
  title!: string;
  description!: string;
  metadata!: RubricMetadataDto;
  /** At least one. */
  criteria!: RubricCriterionDto[];
  @ApiProperty({ enum: SCORING_TYPES, example: 'points' })
  scoringType!: ScoringType;
  /** Greater than 0. */
  @Fraction({ example: 10 }) maxScore!: number;
}

/** Members to replace as a whole. */
export class RubricChangesDto extends PartialType(RubricDocumentDto) {}

export class RubricDto extends RubricDocumentDto {
  id!: string;
  /** Id of the user who owns it. */
  owner!: string;
  @ApiProperty({ enum: RUBRIC_VISIBILITIES })
  visibility!: RubricVisibility;
  @ApiProperty({ enum: ['owner', 'read'] })
  access!: 'owner' | 'read';
  /** Id in the source of the import. */
  origin_id!: number | null;
  /** Counts changes by the owner, visibility included. */
  version!: number;
  created_at!: Date;
  updated_at!: Date;
}

export class RubricPageDto extends PageOf(RubricDto) {}

export class RubricListQueryDto extends PageQueryDto {
  /** Part of the title. */
  @MayBeOmitted() @Text(200) q?: string;

  /** `me`: only own rubrics. */
  @MayBeOmitted() @OneOf(['me']) owner?: 'me';
}

export class RubricVisibilityDto {
  @OneOf(RUBRIC_VISIBILITIES) visibility!: RubricVisibility;
}

export class RubricRenderQueryDto {
  @MayBeOmitted() @OneOf(RUBRIC_FORMATS, { required: false, default: 'markdown' }) format: RubricFormat = 'markdown';

  /** Adds the steps of the evaluation and the parts of the answer, as for classic rubric assistants. */
  @MayBeOmitted() @OneOf(['true', 'false']) for_evaluation?: string;
}
