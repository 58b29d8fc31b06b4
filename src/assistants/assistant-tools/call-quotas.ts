import { Injectable } from '@nestjs/common';
import { isJsonObject } from '../../kernel';
import type { OrganizationStanding } from '../../organizations';
import { RunsService } from '../../runs';
import { member } from '../metadata';

const DAY_MS = 86_400_000;

/** Who calls what, and who pays: the organization of the assistant that is called. */
export interface CallTraffic {
  readonly payer: OrganizationStanding;
  readonly targetId: number;
  readonly callerOrganizationId: string;
}

/**
 * `limits.assistant_calls` of the organization that pays, each a number of calls in 24 hours: `per_day` of all its
 * assistants, `per_assistant` of one, `per_organization` by one other organization. Absent ones do not limit.
 */
@Injectable()
export class CallQuotas {
  constructor(private readonly runs: RunsService) {}

  async spent({ payer, targetId, callerOrganizationId }: CallTraffic): Promise<boolean> {
    const limits = member(payer.limits, 'assistant_calls');
    if (!isJsonObject(limits)) return false;
    const since = new Date(Date.now() - DAY_MS);
    const foreign = callerOrganizationId !== payer.id;
    const rules = [
      { limit: member(limits, 'per_day'), of: {} },
      { limit: member(limits, 'per_assistant'), of: { assistantId: targetId } },
      { limit: foreign ? member(limits, 'per_organization') : undefined, of: { callerOrganizationId } },
    ];
    for (const { limit, of } of rules) {
      if (typeof limit === 'number' && (await this.runs.nestedCalls(payer.id, since, of)) >= limit) return true;
    }
    return false;
  }
}
