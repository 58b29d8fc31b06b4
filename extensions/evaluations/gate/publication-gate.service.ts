import { AppError, type Caller, type Problem, isOrganizationAdmin } from '@bellwether/kernel';
import { Injectable } from '@nestjs/common';
import {
  AssistantHistory,
  AssistantsService,
  type PublicationRules,
  type WantedPublication,
} from '../../../src/assistants';
import { AuditLog } from '../../../src/infrastructure/audit';
import { Transactions } from '../../../src/infrastructure/database';
import { OrganizationsService } from '../../../src/organizations';
import { type LatestResult, TestResultRepository } from '../test-runs/test-result.repository';
import type { TestState } from '../test-runs/test-result.entity';
import { AssistantTestRepository } from '../tests/assistant-test.repository';
import type { GateDto } from './publication-gate.dto';
import type { GateSettings } from './publication-gate.entity';
import { PublicationGateRepository } from './publication-gate.repository';

/** A test at the gate. `not_run`: it has no result on this version, or the test was changed since. */
interface GateTest {
  readonly id: string;
  readonly name: string;
  readonly state: TestState | 'not_run';
}

interface KnownTest {
  readonly id: string;
  readonly name: string;
  readonly version: number;
}

function gateTests(tests: readonly KnownTest[], results: readonly LatestResult[]): readonly GateTest[] {
  const states = new Map(results.map(({ testId, testVersion, state }) => [`${testId} ${testVersion}`, state]));
  return tests.map(({ id, name, version }) => ({ id, name, state: states.get(`${id} ${version}`) ?? 'not_run' }));
}

/** An assistant without tests does not pass. */
const passes = (tests: readonly GateTest[]): boolean =>
  tests.length > 0 && tests.every(({ state }) => state === 'passed');

type GatedAssistant = Pick<WantedPublication['assistant'], 'id' | 'organizationId' | 'ownerId'>;

export interface GateStatus extends GateSettings {
  /** The organization demands it of every assistant. */
  readonly byOrganization: boolean;
  readonly mayOverride: boolean;
  readonly tests: readonly GateTest[];
}

/** Tests that a refusal names. */
const NAMED = 20;

const NO_GATE: GateSettings = { required: false, override: 'administrators' };

/** Lets a version be published only when its tests pass, where the assistant or the organization demands that. */
@Injectable()
export class PublicationGate implements PublicationRules {
  constructor(
    private readonly gates: PublicationGateRepository,
    private readonly tests: AssistantTestRepository,
    private readonly results: TestResultRepository,
    private readonly organizations: OrganizationsService,
  ) {}

  async admit({ caller, assistant, version, override }: WantedPublication): Promise<object | null> {
    const { required, byOrganization, mayOverride, tests } = await this.standing(caller, assistant, version);
    if ((!required && !byOrganization) || passes(tests)) return null;
    const missing = tests.filter(({ state }) => state !== 'passed');
    if (override === null) throw refusal(missing, mayOverride);
    if (!mayOverride)
      throw new AppError('forbidden', 'Only people named by the gate may publish without passing tests');
    const named = missing.slice(0, NAMED).map(({ id, name, state }) => ({ id, name, state }));
    return { tests_overridden: { reason: override, not_passed: missing.length, tests: named } };
  }

  async standing(
    caller: Caller,
    { id, organizationId, ownerId }: GatedAssistant,
    version: number,
  ): Promise<GateStatus> {
    const { required, override } = (await this.gates.find(organizationId, id)) ?? NO_GATE;
    const { features } = await this.organizations.runtime(organizationId);
    const byOrganization = features.tests_before_publishing;
    const owners = byOrganization ? features.owners_override_tests : override === 'owner';
    const mayOverride = isOrganizationAdmin(caller) || (owners && caller.userId === ownerId);
    const known = await this.tests.within(organizationId).all(id);
    const results = await this.results.within(organizationId).latest(id, version);
    return { required, override, byOrganization, mayOverride, tests: gateTests(known, results) };
  }
}

/** The settings of gates, and the results that decide whether a version may be published. */
@Injectable()
export class PublicationGates {
  constructor(
    private readonly gate: PublicationGate,
    private readonly gates: PublicationGateRepository,
    private readonly assistants: AssistantsService,
    private readonly history: AssistantHistory,
    private readonly transactions: Transactions,
    private readonly audit: AuditLog,
  ) {}

  /** Gate of a version for people who edit it. @throws AppError `not_found`, `forbidden` */
  async get(caller: Caller, id: number, version?: number): Promise<GateDto> {
    const wanted = version ?? (await this.history.newest(caller, id));
    const assistant = await this.assistants.newest(caller, id);
    const standing = await this.gate.standing(caller, assistant, wanted);
    return {
      required: standing.required,
      override: standing.override,
      by_organization: standing.byOrganization,
      may_override: standing.mayOverride,
      version: wanted,
      passes: passes(standing.tests),
      tests: standing.tests.map((test) => ({ ...test })),
    };
  }

  /** Changes the gate; only the owner and administrators may. @throws AppError `not_found`, `forbidden` */
  async set(caller: Caller, id: number, settings: GateSettings): Promise<GateDto> {
    await this.assistants.assertAdministered(caller, id);
    const { organizationId } = caller;
    const found = await this.gates.find(organizationId, id);
    const before = found === null ? null : { required: found.required, override: found.override };
    await this.transactions.run(async (tx) => {
      await this.gates.save(organizationId, id, settings, tx);
      const target = { type: 'assistant', id };
      await this.audit.record({ caller, action: 'assistant.gate', target, before, after: settings }, tx);
    });
    return this.get(caller, id);
  }
}

function refusal(missing: readonly GateTest[], mayOverride: boolean): AppError {
  const values = { count: missing.length, may_override: mayOverride ? 1 : 0 };
  if (missing.length === 0)
    return new AppError('conflict', 'The assistant has no tests, and must pass its tests to be published', {
      reason: 'assistant.no_tests',
      values,
    });
  const names = missing.map(({ name }) => name);
  const detail = `Tests do not pass on this version: ${names.slice(0, NAMED).join('; ')}`;
  return new AppError('conflict', detail, {
    reason: 'assistant.tests_not_passed',
    values,
    problems: missing.slice(0, NAMED).map(problemOf),
  });
}

const problemOf = ({ name, state }: GateTest): Problem => ({
  path: '',
  message: `${name}: ${state}`,
  code: `test.${state}`,
  values: { name },
});
