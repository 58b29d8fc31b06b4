import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { ArrayMaxSize, ArrayMinSize, IsArray, IsInt, IsUUID, Max, Min } from 'class-validator';
import { MayBeOmitted, PageOf } from '../../../src/infrastructure/http';
import { ComparedSidesDto } from '../../../src/runs-api';
import { CheckedExpectationDto } from '../expectations/expectation.dto';
import { TestTurnDto } from '../tests/assistant-test.dto';
import { type Change, CHANGES } from './result-state';
import { TEST_STATES, type TestState } from './test-result.entity';

export class StartTestRunDto {
  /** Saved version of the assistant; the newest when absent. */
  @MayBeOmitted()
  @IsInt()
  @Min(1)
  @Max(2_147_483_647)
  @ApiPropertyOptional({ type: 'integer' })
  version?: number;

  /** Every test when absent. */
  @MayBeOmitted()
  @IsArray()
  @ArrayMinSize(1)
  @ArrayMaxSize(1_000)
  @IsUUID(undefined, { each: true })
  @ApiPropertyOptional({ type: [String], format: 'uuid' })
  test_ids?: string[];
}

export class TestRunDto {
  @ApiProperty({ format: 'uuid' })
  id!: string;
  @ApiProperty({ type: 'integer' })
  assistant_version!: number;
  @ApiProperty({ enum: ['running', 'completed', 'cancelled'] })
  status!: string;
  @ApiProperty({ format: 'date-time' })
  created_at!: string;
  @ApiProperty({ format: 'date-time', type: String, nullable: true })
  finished_at!: string | null;
  @ApiProperty({ type: 'integer' })
  total!: number;
  /** Number of tests by state; states without a test are absent. */
  @ApiProperty({ type: 'object', additionalProperties: { type: 'integer' }, example: { passed: 11, failed: 1 } })
  counts!: Record<string, number>;
}

export class TestRunPageDto extends PageOf(TestRunDto) {}

export class AskedTurnDto {
  @ApiProperty({ format: 'uuid' })
  run_id!: string;
  answer!: string;
  duration_ms!: number;
  /** Millionths of the organization's currency; null without a price. */
  cost_micros!: number | null;
  @ApiProperty({ type: [CheckedExpectationDto] })
  outcomes!: CheckedExpectationDto[];
}

export class TestRefusalDto {
  code!: string;
  detail!: string;
  @ApiProperty({ type: 'array', items: { type: 'object', additionalProperties: true } })
  errors!: object[];
}

export class TestResultDto {
  @ApiProperty({ format: 'uuid' })
  test_id!: string;
  name!: string;
  /** Only `passed` counts as passed. */
  @ApiProperty({ enum: TEST_STATES })
  state!: TestState;
  /** The test as it was then. */
  @ApiProperty({ type: [TestTurnDto] })
  turns!: TestTurnDto[];
  @ApiProperty({ type: [AskedTurnDto] })
  asked!: AskedTurnDto[];
  /** Why a question was not answered. */
  @ApiProperty({ type: TestRefusalDto, nullable: true })
  refusal!: TestRefusalDto | null;
}

export class TestResultPageDto extends PageOf(TestResultDto) {}

export class TestDiffQueryDto {
  /** The earlier test run. */
  @IsUUID()
  @ApiProperty({ format: 'uuid' })
  with!: string;
}

export class TestChangeDto {
  @ApiProperty({ format: 'uuid' })
  test_id!: string;
  name!: string;
  @ApiProperty({ enum: CHANGES })
  change!: Change;
  /** False when the test itself was changed in between. */
  same_test!: boolean;
  @ApiProperty({ type: TestResultDto, nullable: true })
  before!: TestResultDto | null;
  @ApiProperty({ type: TestResultDto, nullable: true })
  after!: TestResultDto | null;
  /** The last runs side by side, for at most 20 tests that got better or worse. */
  @ApiProperty({ type: ComparedSidesDto, nullable: true })
  runs!: ComparedSidesDto | null;
}

export class TestDiffDto {
  before!: TestRunDto;
  after!: TestRunDto;
  /** Members of the definition that differ between the two versions. */
  @ApiProperty({ type: [String], example: ['system_prompt', 'metadata.llm'] })
  changed!: string[];
  /** Worse ones first, then better ones. */
  @ApiProperty({ type: [TestChangeDto] })
  tests!: TestChangeDto[];
}
