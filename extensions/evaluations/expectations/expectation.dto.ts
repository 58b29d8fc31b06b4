import type { JsonObject } from '@bellwether/kernel';
import { ApiProperty } from '@nestjs/swagger';
import { IsObject } from 'class-validator';
import { OUTCOME_STATUSES, type OutcomeStatus } from '../contract';
import { Text } from '../../../src/infrastructure/http';

export class ExpectationKindDto {
  @ApiProperty({ example: 'cites_document' })
  name!: string;
  /** Name and explanation by language. */
  @ApiProperty({ additionalProperties: true })
  texts!: object;
  /** JSON Schema of the config. */
  config_schema!: JsonObject;
  /** `model`: a model of the organization may be asked. */
  @ApiProperty({ enum: ['exact', 'model'] })
  checked_by!: string;
}

export class ExpectationListDto {
  expectations!: ExpectationKindDto[];
}

export class ExpectationDto {
  @Text(64, { example: 'cites_document' }) kind!: string;

  @IsObject()
  @ApiProperty({ additionalProperties: true, example: { document: 'photosynthesis.pdf', page: 3 } })
  config!: JsonObject;
}

export class CheckedExpectationDto extends ExpectationDto {
  /** Only `passed` counts as passed. `gone`: what it refers to no longer exists. */
  @ApiProperty({ enum: OUTCOME_STATUSES })
  status!: OutcomeStatus;
  /** Evidence for the result: titles, a figure, or the reason of the judge. */
  found!: string;
  /** The model that judged it; null for an exact check. */
  judged_by!: string | null;
}
