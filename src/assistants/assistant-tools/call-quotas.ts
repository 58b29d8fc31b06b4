import { isJsonObject } from '@bellwether/kernel';
import { Injectable, Logger } from '@nestjs/common';
import { member } from '../definition';
import { CallCountRepository, type CountedCalls } from './call-counts.repository';

/** One call between assistants. The organization of the called assistant pays. */
export interface CallTraffic {
  readonly payer: { readonly id: string; readonly limits: Readonly<Record<string, unknown>> };
  readonly targetId: number;
  readonly callerOrganizationId: string;
}

export interface CallReservation {
  /** Takes back the count of a call that was not made. Never rejects. */
  giveBack(): Promise<void>;
}

const UNLIMITED: CallReservation = { giveBack: () => Promise.resolve() };

/**
 * Limits of the paying organization (`limits.assistant_calls`) in calls per 24 hours: `per_day` in all, `per_assistant`
 * of one assistant, `per_organization` by one other organization. Absent ones do not limit.
 */
@Injectable()
export class CallQuotas {
  private readonly logger = new Logger('CallQuotas');

  constructor(private readonly counts: CallCountRepository) {}

  /** Null when a quota is spent. */
  async reserve(traffic: CallTraffic): Promise<CallReservation | null> {
    const limits = limitsOf(traffic);
    if (limits.length === 0) return UNLIMITED;
    const call = await this.counts.reserve(traffic.payer.id, limits);
    if (call === null) return null;
    return {
      giveBack: async () => {
        try {
          await this.counts.giveBack(call);
        } catch (error) {
          this.logger.warn({
            msg: 'a call that was not made stays counted',
            organization: call.organizationId,
            err: error,
          });
        }
      },
    };
  }
}

function limitsOf({ payer, targetId, callerOrganizationId }: CallTraffic): CountedCalls[] {
  const limits: unknown = member(payer.limits, 'assistant_calls');
  if (!isJsonObject(limits)) return [];
  const isForeign = callerOrganizationId !== payer.id;
  return [
    { counted: 'day', most: member(limits, 'per_day') },
    { counted: `assistant/${targetId}`, most: member(limits, 'per_assistant') },
    ...(isForeign
      ? [{ counted: `organization/${callerOrganizationId}`, most: member(limits, 'per_organization') }]
      : []),
  ].flatMap(({ counted, most }) => (typeof most === 'number' ? [{ counted, most }] : []));
}
