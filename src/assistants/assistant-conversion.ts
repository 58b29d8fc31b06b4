import {
  AppError,
  assertCurrent,
  type Caller,
  type JsonObject,
  type Problem,
  sameJson,
  staleVersion,
} from '@bellwether/kernel';
import { Injectable } from '@nestjs/common';
import {
  type Definition,
  NEWEST_METADATA,
  type PromptDifference,
  type RewritePlan,
  storedDefinition,
} from './definition';
import { OrganizationsService } from '../organizations';
import { Transactions } from '../infrastructure/database';
import { AssistantLookup, type Seen } from './access/assistant-lookup';
import { AssistantRewrites, subjectOf } from './rewriting/assistant-rewrites';
import type { ConversionPlanDto } from './conversion.dto';
import { RequestedPlans } from './rewriting/requested-plans';

/** Without If-Match the newest version is converted; a lost race is retried this often. */
const ATTEMPTS = 3;
const CONVERT = 'assistant.convert';

/** Converts one assistant to the newest metadata version at the request of an editor. */
@Injectable()
export class AssistantConversion {
  constructor(
    private readonly lookup: AssistantLookup,
    private readonly organizations: OrganizationsService,
    private readonly rewrites: AssistantRewrites,
    private readonly plans: RequestedPlans,
    private readonly transactions: Transactions,
  ) {}

  /** Writes nothing. @throws {AppError} `not_found`, `forbidden`, `feature_disabled`, `precondition_failed`, `too_many_requests`. */
  async plan(caller: Caller, id: number, expected: number | null): Promise<ConversionPlanDto> {
    const { row } = await this.subject(caller, id, expected);
    const plan = await this.plans.plan(subjectOf(row), NEWEST_METADATA);
    return planView(row, plan);
  }

  /**
   * The old version stays in the history and can be restored.
   * @throws {AppError} as `plan`; `conflict` when it is in the newest version; `definition_refused` when it cannot be
   * converted or a prompt would change.
   */
  async convert(caller: Caller, id: number, expected: number | null): Promise<Seen> {
    if (this.transactions.isDone(CONVERT)) return this.lookup.configurable(caller, id);
    for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
      const { row } = await this.subject(caller, id, expected);
      const subject = subjectOf(row);
      const plan = assertReady(await this.plans.plan(subject, NEWEST_METADATA));
      const change = { subject, plan, reason: 'convert', batchId: null } as const;
      const rewritten = await this.transactions.once(
        CONVERT,
        async (tx) => (await this.rewrites.apply(tx, [change], caller))[0],
      );
      if (rewritten) {
        this.rewrites.committed([rewritten], null);
        return this.lookup.configurable(caller, id);
      }
    }
    throw staleVersion();
  }

  private async subject(caller: Caller, id: number, expected: number | null): Promise<Seen> {
    const seen = await this.lookup.configurable(caller, id);
    assertCurrent(expected, seen.row.version);
    const { features } = await this.organizations.runtime(seen.row.organizationId);
    if (!features.multi_tool)
      throw new AppError('feature_disabled', 'Multi-tool assistants are switched off in this organization');
    return seen;
  }
}

type Ready = Extract<RewritePlan, { readonly status: 'ready' }>;

function assertReady(plan: RewritePlan): Ready {
  if (plan.status === 'ready') return plan;
  if (plan.status === 'current')
    throw new AppError('conflict', 'The assistant is in the newest version already', { reason: 'assistant.newest' });
  throw new AppError('definition_refused', 'The assistant cannot be converted', {
    problems: [...plan.problems, ...plan.differences.map(differenceProblem)],
  });
}

const differenceProblem = ({ input, before, after }: PromptDifference, index: number): Problem => ({
  path: `differences[${index}]`,
  message: `with the input "${input}" the prompt would change from ${JSON.stringify(before)} to ${JSON.stringify(after)}`,
  code: 'prompt.differs',
});

function planView(definition: Definition & { readonly version: number }, plan: RewritePlan): ConversionPlanDto {
  const view = { dry_run: true, status: plan.status, version: definition.version, from_version: plan.from } as const;
  const after = plan.status === 'ready' ? plan.definition : definition;
  const metadata = { before: storedDefinition(definition).metadata, after: storedDefinition(after).metadata };
  const template = { before: definition.promptTemplate, after: after.promptTemplate };
  return {
    ...view,
    to_version: NEWEST_METADATA,
    template,
    metadata,
    notes: plan.status === 'ready' ? [...plan.notes] : [],
    diff: differencesOf(template, metadata),
    problems: plan.status === 'refused' ? [...plan.problems] : [],
    differences: plan.status === 'refused' ? [...plan.differences] : [],
  };
}

interface BeforeAfter<T> {
  readonly before: T;
  readonly after: T;
}

/** The template, then the metadata key by key: the old ones in their order, then the new. */
function differencesOf(template: BeforeAfter<string>, metadata: BeforeAfter<JsonObject>): ConversionPlanDto['diff'] {
  const own = (object: JsonObject, key: string): unknown => (Object.hasOwn(object, key) ? object[key] : null);
  const keys = new Set([...Object.keys(metadata.before), ...Object.keys(metadata.after)]);
  const changes = [...keys].map((key) => ({
    path: `metadata.${key}`,
    from: own(metadata.before, key),
    to: own(metadata.after, key),
  }));
  return [{ path: 'prompt_template', from: template.before, to: template.after }, ...changes].filter(
    ({ from, to }) => !sameJson(from, to),
  );
}
