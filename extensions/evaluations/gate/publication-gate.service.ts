import { Injectable } from '@nestjs/common';
import type { PublicationRules, WantedPublication } from '../../../src/assistants';
import { AppError, type Caller, isOrganizationAdmin, type Problem } from '../../../src/kernel';
import { OrganizationsService } from '../../../src/organizations';
import { AssistantTestRepository } from '../tests/assistant-test.repository';
import { TestResultRepository } from '../test-runs/test-result.repository';
import { type GateTest, gateTests, passes } from './gate-standing';
import { PublicationGateRepository } from './publication-gate.repository';
import type { GateSettings } from './publication-gate.types';

type GatedAssistant = Pick<WantedPublication['assistant'], 'id' | 'organizationId' | 'ownerId'>;

export interface GateStanding extends GateSettings {
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
  ): Promise<GateStanding> {
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
