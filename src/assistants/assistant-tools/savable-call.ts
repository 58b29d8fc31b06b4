import type { DiagnosticCode, DiagnosticValues } from '../definition';
import type { CallFacts, Refusal } from './call-decision.types';
import { decideCall, reachOf } from './decide-call';

export interface CallProblem {
  readonly code: Extract<
    DiagnosticCode,
    'tool.inaccessible' | 'tool_using_assistant' | 'tool.disabled' | 'tool.degraded'
  >;
  readonly message: string;
  readonly values?: DiagnosticValues;
}

const MISSING: CallProblem = { code: 'tool.inaccessible', message: 'no such assistant' };

/**
 * The problem of naming T in a definition, or null. A target out of the owner's reach looks like a missing assistant.
 * `answerable`: T has a model to answer with.
 */
export function savableCall(facts: CallFacts, answerable: boolean): CallProblem | null {
  const { calling, target } = facts;
  if (target !== null && target.id === calling.id)
    return { code: 'tool_using_assistant', message: 'an assistant cannot call itself' };
  if (target === null || target.deleted || !reachOf(calling, target).allowed) return MISSING;
  const decision = decideCall({ ...facts, quotaSpent: false, depth: 0 });
  if (decision.allowed) return answerable ? null : UNANSWERABLE;
  return MESSAGES[decision.row] ?? MISSING;
}

/** Messages for targets within the owner's reach. */
const MESSAGES: Partial<Record<Refusal, CallProblem>> = {
  B1: { code: 'tool_using_assistant', message: 'an assistant that calls functions cannot be one' },
  C1: { code: 'tool.disabled', message: 'this assistant is switched off', values: { reason: 'assistant.off' } },
};

const UNANSWERABLE: CallProblem = {
  code: 'tool.degraded',
  message: 'its organization has no model for this assistant; calls of it will fail',
  values: { reason: 'assistant.no_model' },
};
