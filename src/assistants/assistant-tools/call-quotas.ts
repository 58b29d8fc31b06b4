import { Injectable, Logger } from '@nestjs/common';
import { member } from '../../definition';
import { isJsonObject } from '../../kernel';
import { CallCountRepository, type CountedCalls } from './call-counts.repository';

/** Who calls what, and who pays: the organization of the assistant that is called. */
export interface CallTraffic {
  readonly payer: { readonly id: string; readonly limits: Readonly<Record<string, unknown>> };
  readonly targetId: number;
  readonly callerOrganizationId: string;
}

/** A call that was counted before it is made. */
export interface CallReservation {
  /** For a call that was not made after all. Never rejects. */
  giveBack(): Promise<void>;
}

const UNLIMITED: CallReservation = { giveBack: () => Promise.resolve() };

/**
 * `limits.assistant_calls` of the organization that pays, each a number of calls in 24 hours: `per_day` of all its
 * assistants, `per_assistant` of one, `per_organization` by one other organization. Absent ones do not limit.
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
