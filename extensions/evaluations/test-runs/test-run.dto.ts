import { ApiProperty } from '@nestjs/swagger';
import { ArrayMaxSize, ArrayMinSize, IsArray, IsUUID } from 'class-validator';
import { Fraction, MayBeOmitted, PageOf, Between, Id, Moment } from '../../../src/infrastructure/http';
import { ComparedSidesDto } from '../what-if/what-if.dto';
import { CheckedExpectationDto } from '../expectations/expectation.dto';
import { TestTurnDto } from '../tests/assistant-test.dto';
import { type Change, CHANGES } from './result-state';
import { TEST_STATES, type TestState } from './test-result.entity';

export class StartTestRunDto {
  /** Saved version of the assistant; the newest when absent. */
  @MayBeOmitted() @Between(1, 2_147_483_647) version?: number;

  /** Every test when absent. */
  @MayBeOmitted()
  @IsArray()
  @ArrayMinSize(1)
  @ArrayMaxSize(1_000)
  @IsUUID(undefined, { each: true })
  test_ids?: string[];
}

export class TestRunDto {
  @Id() id!: string;
  assistant_version!: number;
  @ApiProperty({ enum: ['running', 'completed', 'cancelled'] })
  status!: string;
  @Moment() created_at!: string;
  @Moment() finished_at!: string | null;
  total!: number;
  /** Number of tests by state; states without a test are absent. */
  @ApiProperty({ additionalProperties: { type: 'integer' }, example: { passed: 11, failed: 1 } })
  counts!: Record<string, number>;
}

export class TestRunPageDto extends PageOf(TestRunDto) {}

export class AskedTurnDto {
  @Id() run_id!: string;
  answer!: string;
  @Fraction() duration_ms!: number;
  /** Millionths of the organization's currency; null without a price. */
  cost_micros!: number | null;
  outcomes!: CheckedExpectationDto[];
}

export class TestRefusalDto {
  code!: string;
  detail!: string;
  @ApiProperty({ items: { type: 'object', additionalProperties: true } })
  errors!: object[];
}

export class TestResultDto {
  @Id() test_id!: string;
  name!: string;
  /** Only `passed` counts as passed. */
  @ApiProperty({ enum: TEST_STATES })
  state!: TestState;
  /** The test as it was then. */
  turns!: TestTurnDto[];
  asked!: AskedTurnDto[];
  /** Why a question was not answered. */
  refusal!: TestRefusalDto | null;
}

export class TestResultPageDto extends PageOf(TestResultDto) {}

export class TestDiffQueryDto {
  /** The earlier test run. */
  @IsUUID()
  with!: string;
}

export class TestChangeDto {
  @Id() test_id!: string;
  name!: string;
  @ApiProperty({ enum: CHANGES })
  change!: Change;
  /** False when the test itself was changed in between. */
  same_test!: boolean;
  before!: TestResultDto | null;
  after!: TestResultDto | null;
  /** The last runs side by side, for at most 20 tests that got better or worse. */
  runs!: ComparedSidesDto | null;
}

export class TestDiffDto {
  before!: TestRunDto;
  after!: TestRunDto;
  /** Members of the definition that differ between the two versions. */
  @ApiProperty({ example: ['system_prompt', 'metadata.llm'] })
  changed!: string[];
  /** Worse ones first, then better ones. */
  tests!: TestChangeDto[];
}
