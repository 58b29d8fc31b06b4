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
import type { AssistantTestEntity } from '../tests/assistant-test.entity';
import { AssistantTestRepository } from '../tests/assistant-test.repository';
import type { GateDto, GateTestDto } from './publication-gate.dto';
import type { GateSettings } from './publication-gate.entity';
import { PublicationGateRepository } from './publication-gate.repository';

function gateTests(tests: readonly AssistantTestEntity[], results: readonly LatestResult[]): GateTestDto[] {
  const states = new Map(results.map(({ testId, testVersion, state }) => [`${testId} ${testVersion}`, state]));
  return tests.map(({ id, name, version }) => ({ id, name, state: states.get(`${id} ${version}`) ?? 'not_run' }));
}

/** An assistant without tests does not pass. */
const passes = (tests: readonly GateTestDto[]): boolean =>
  tests.length > 0 && tests.every(({ state }) => state === 'passed');

type GatedAssistant = Pick<WantedPublication['assistant'], 'id' | 'organizationId' | 'ownerId'>;

type GateStatus = Omit<GateDto, 'version' | 'passes'>;

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
    const standing = await this.standing(caller, assistant, version);
    const { required, by_organization: byOrganization, may_override: mayOverride, tests } = standing;
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
    const tests = gateTests(known, results);
    return { required, override, by_organization: byOrganization, may_override: mayOverride, tests };
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
    const { tests, ...standing } = await this.gate.standing(caller, assistant, wanted);
    return { ...standing, version: wanted, passes: passes(tests), tests };
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

function refusal(missing: readonly GateTestDto[], mayOverride: boolean): AppError {
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

const problemOf = ({ name, state }: GateTestDto): Problem => ({
  path: '',
  message: `${name}: ${state}`,
  code: `test.${state}`,
  values: { name },
});
