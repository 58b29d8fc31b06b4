import { type Caller, type Problem, assertCurrent, invalid } from '@bellwether/kernel';
import { Injectable } from '@nestjs/common';
import { AuditLog } from '../../../../src/infrastructure/audit';
import { type Transaction, Transactions } from '../../../../src/infrastructure/database';
import { OrganizationsService } from '../../../../src/organizations';
import { BridgeSecrets } from '../bridge-secrets.service';
import type { BridgeEntity } from '../bridge.entity';
import { BridgeRepository } from '../bridge.repository';
import { LAMB_PATHS } from '../bridge.types';
import { PlatformRepository } from '../../platforms/platform.repository';
import type { BridgeDto, UpdateBridgeDto } from './bridge.dto';

const DAY = 86_400_000;
const MOST_DAYS = 400;

/** The day in UTC, as ISO 8601 writes it. */
const dayOf = (moment: number): string => new Date(moment).toISOString().slice(0, 10);

export const isOver = (until: string | null, now = Date.now()): boolean => until === null || until < dayOf(now);

/** Problem of an end date; null for none. */
export function problemOf(until: string, enabled: boolean, now = Date.now()): Problem | null {
  const moment = Date.parse(`${until}T00:00:00Z`);
  if (Number.isNaN(moment) || dayOf(moment) !== until) return wrong('is no date', 'value.day');
  if (until > dayOf(now + MOST_DAYS * DAY)) {
    return { ...wrong(`must be at most ${MOST_DAYS} days ahead`, 'bridge.too_late'), values: { days: MOST_DAYS } };
  }
  return enabled && isOver(until, now) ? wrong('must not be over while enabled is true', 'bridge.over') : null;
}

const wrong = (what: string, code: string): Problem => ({ path: 'until', message: `until ${what}`, code });

export interface BridgeRequest {
  readonly caller: Caller;
  readonly slug: string;
  /** Origin of the service, for the addresses in the answer. */
  readonly origin: string;
}

type Settings = Pick<BridgeEntity, 'enabled' | 'until' | 'assistantSecret' | 'continuedBy'>;

/** LTI 1.1 of an organization, as its administrators set it. */
@Injectable()
export class BridgeSettings {
  constructor(
    private readonly bridges: BridgeRepository,
    private readonly secrets: BridgeSecrets,
    private readonly platforms: PlatformRepository,
    private readonly organizations: OrganizationsService,
    private readonly transactions: Transactions,
    private readonly audit: AuditLog,
  ) {}

  async get({ caller, slug, origin }: BridgeRequest): Promise<BridgeDto> {
    const organizationId = await this.organizations.administered(caller, slug);
    return viewOf(await this.bridges.within(organizationId).own(), origin);
  }

  /** @throws {AppError} `validation_failed`, `precondition_failed` for a stale version */
  async update(
    { caller, slug, origin }: BridgeRequest,
    input: UpdateBridgeDto,
    expected: number | null,
  ): Promise<BridgeDto> {
    const organizationId = await this.organizations.administered(caller, slug);
    const bridge = await this.transactions.run(async (tx) => {
      const scope = this.bridges.within(organizationId, tx);
      const { id } = await scope.ensure();
      const current = await scope.lock(id);
      if (current === null) throw new Error('The bridge is gone');
      // A bridge that nobody has set counts as version 0.
      if (expected !== 0 || current.version > 1) assertCurrent(expected, current.version);
      const wanted = await this.merged(current, input, tx);
      await this.assertValid(wanted, input, organizationId, tx);
      const next = await scope.advance(current, wanted);
      const [before, after] = [shownOf(current), shownOf(next)];
      const target = { type: 'lti_bridge', id };
      await this.audit.record({ caller, organizationId, action: 'lti_bridge.update', target, before, after }, tx);
      return next;
    });
    return viewOf(bridge, origin);
  }

  private async merged(
    { organizationId, ...current }: BridgeEntity,
    input: UpdateBridgeDto,
    tx: Transaction,
  ): Promise<Settings> {
    const { assistant_secret: plain } = input;
    const sealed = plain == null ? null : await this.secrets.sealOfAssistants(organizationId, plain, tx);
    return {
      enabled: input.enabled ?? current.enabled,
      until: input.until === undefined ? current.until : input.until,
      assistantSecret: plain === undefined ? current.assistantSecret : sealed,
      continuedBy: input.continued_by ?? current.continuedBy,
    };
  }

  private async assertValid(
    { enabled, until }: Settings,
    input: UpdateBridgeDto,
    organizationId: string,
    tx: Transaction,
  ): Promise<void> {
    const problems: Problem[] = [];
    if (until === null && enabled) {
      problems.push({ path: 'until', message: 'until must be given while enabled is true', code: 'value.missing' });
    }
    const wrong = until === null ? null : problemOf(until, enabled);
    // An old date stays when other members change.
    if (wrong !== null && (enabled || input.until !== undefined)) problems.push(wrong);
    const platforms = this.platforms.within(organizationId, tx);
    for (const [index, id] of (input.continued_by ?? []).entries()) {
      if ((await platforms.find(id)) === null) {
        const message = 'is no learning platform of the organization';
        problems.push({ path: `continued_by[${index}]`, message, code: 'bridge.no_platform' });
      }
    }
    if (problems.length > 0) throw invalid(problems);
  }
}

/** Without secrets. */
const shownOf = ({ enabled, until, assistantSecret, continuedBy }: Settings) => ({
  enabled,
  until,
  assistant_secret_configured: assistantSecret !== null,
  continued_by: [...continuedBy],
});

const NEW: Settings = { enabled: false, until: null, assistantSecret: null, continuedBy: [] };

function viewOf(bridge: BridgeEntity | null, origin: string): BridgeDto {
  const shown = shownOf(bridge ?? NEW);
  const on = isOver(shown.until) ? 'ended' : 'on';
  return {
    ...shown,
    state: shown.enabled ? on : 'off',
    launch_urls: {
      activity: origin + LAMB_PATHS.activity,
      assistant: origin + LAMB_PATHS.assistant,
      creator: origin + LAMB_PATHS.creator,
    },
    version: bridge?.version ?? 0,
    updated_at: bridge?.updatedAt.toISOString() ?? null,
  };
}
