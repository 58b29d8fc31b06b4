import type { JsonObject } from '@bellwether/kernel';
import { ApiProperty } from '@nestjs/swagger';
import { FEATURES, type Feature } from '../../organizations';
import { METADATA_SCHEMA, refTo } from '../definition';
import { MATERIAL_KINDS, type MaterialKind, RECIPE_LANGUAGES, type RecipeLanguage } from './recipe.types';

export class MaterialSlotDto {
  @ApiProperty({ enum: ['tools', 'functions'] })
  list!: 'tools' | 'functions';
  /** Position in that list of the definition's metadata, from 0. */
  index!: number;
  /** A tool's setting is in its `config`, a function's beside its `type`. */
  setting!: string;
  /** The setting is a list of ids. */
  many!: boolean;
}

export class RecipeMaterialDto {
  @ApiProperty({ example: 'course' })
  key!: string;
  @ApiProperty({ enum: MATERIAL_KINDS })
  kind!: MaterialKind;
  @ApiProperty({ example: 'Course material' })
  name!: string;
  hint!: string;
  /** Sample for a rubric: body of `POST /api/v1/rubrics` that makes it. */
  @ApiProperty({ additionalProperties: true })
  sample?: object;
  /** Settings that take the id of the chosen material. */
  @ApiProperty({ type: [MaterialSlotDto] })
  fills!: readonly MaterialSlotDto[];
}

export class RecipeTopicDto {
  /** Key of the material. */
  @ApiProperty({ example: 'course' })
  material!: string;
  /** `{topic}` stands for a title in the material, such as that of a document. */
  @ApiProperty({ example: ['What does the course material say about “{topic}”?'] })
  questions!: readonly string[];
}

export class RecipeDefinitionDto {
  name!: string;
  description!: string;
  system_prompt!: string;
  prompt_template!: string;
  @ApiProperty({ allOf: [refTo(METADATA_SCHEMA)] })
  metadata!: JsonObject;
}

export class RecipeDto {
  @ApiProperty({ example: 'course-questions' })
  id!: string;
  @ApiProperty({ example: 'book-open' })
  icon!: string;
  @ApiProperty({ example: 'Course questions and answers' })
  name!: string;
  /** The purpose of the assistant, in one sentence. */
  about!: string;
  /** Features of the organization that are switched off and that the recipe needs; empty: it can be used. */
  @ApiProperty({ enum: FEATURES, isArray: true })
  missing_features!: readonly Feature[];
  @ApiProperty({ type: [RecipeMaterialDto] })
  materials!: readonly RecipeMaterialDto[];
  /** First questions to try. */
  @ApiProperty({ type: [String] })
  questions!: readonly string[];
  /** Better first questions for chosen material; absent where `questions` fit any. */
  topic?: RecipeTopicDto;
  /** Body of `POST /api/v1/assistants` once its materials are filled in. */
  definition!: RecipeDefinitionDto;
}

export class RecipeListDto {
  @ApiProperty({ type: [RecipeDto] })
  recipes!: readonly RecipeDto[];
  count!: number;
  /** Language of all texts. */
  @ApiProperty({ enum: RECIPE_LANGUAGES })
  language!: RecipeLanguage;
}
