import { ApiProperty, PartialType } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import {
  ArrayMaxSize,
  ArrayMinSize,
  IsArray,
  IsString,
  IsUUID,
  Matches,
  MaxLength,
  MinLength,
  ValidateNested,
} from 'class-validator';
import { IsName, PageOf, Id, Moment } from '../../../src/infrastructure/http';
import { ExpectationDto } from '../expectations/expectation.dto';

const MOST_TURNS = 10;
const MOST_EXPECTATIONS = 20;
const QUESTION_CHARS = 20_000;

export class TestTurnDto {
  @IsString()
  @MinLength(1)
  @MaxLength(QUESTION_CHARS)
  @Matches(/\S/, { message: 'must not be empty' })
  @ApiProperty({ example: 'What does chlorophyll do?' })
  question!: string;

  @IsArray()
  @ArrayMaxSize(MOST_EXPECTATIONS)
  @ValidateNested({ each: true })
  @Type(() => ExpectationDto)
  expectations!: ExpectationDto[];
}

export class CreateAssistantTestDto {
  @IsName({ example: 'Chlorophyll is cited' }) name!: string;

  /** Questions of one conversation. The assistant reads its own earlier answers. */
  @IsArray()
  @ArrayMinSize(1)
  @ArrayMaxSize(MOST_TURNS)
  @ValidateNested({ each: true })
  @Type(() => TestTurnDto)
  turns!: TestTurnDto[];
}

export class UpdateAssistantTestDto extends PartialType(CreateAssistantTestDto, { skipNullProperties: false }) {}

export class AssistantTestDto extends CreateAssistantTestDto {
  @Id() id!: string;
  /** Counts changes from 1; also the `ETag`. */
  version!: number;
  @Moment() created_at!: string;
  @Moment() updated_at!: string;
}

export class AssistantTestPageDto extends PageOf(AssistantTestDto) {}

export class ProposalQueryDto {
  /** The run that is made a test. */
  @IsUUID()
  run_id!: string;
}
