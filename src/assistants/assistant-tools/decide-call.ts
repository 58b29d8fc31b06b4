import type { CallDecision, CallFacts, CallingFacts, Grant, Refusal, TargetFacts } from './call-decision.types';

const refused = (row: Refusal): CallDecision => ({ allowed: false, row });

/**
 * Whether O may call T in a run that P asked for. The first matching row decides; a call that no row allows is refused.
 * Only the rights of O's owner count (docs/guide/assistants-as-tools.md).
 */
export function decideCall(facts: CallFacts): CallDecision {
  const { callerMayRun, calling, target, depth, quotaSpent } = facts;
  if (!callerMayRun) return refused('R1');
  if (!calling.live || !calling.ownerActive) return refused('C3');
  if (target === null) return refused('T0');
  const obstacle = recursion(calling, target, depth) ?? state(calling, target);
  if (obstacle !== null) return refused(obstacle);
  const reach = reachOf(calling, target);
  if (!reach.allowed) return reach;
  return quotaSpent ? refused('E4') : reach;
}

/** Whether the owner of O reaches T at all. A refusal here looks like a missing assistant. */
export function reachOf(calling: CallingFacts, target: TargetFacts): CallDecision {
  return calling.organization.id === target.organization.id ? within(calling, target) : across(calling, target);
}

/** Rows B4, B1 and B5: T could start a second level of calls. */
function recursion(calling: CallingFacts, target: TargetFacts, depth: number): Refusal | null {
  if (depth > 0) return 'B5';
  if (target.id === calling.id) return 'B4';
  return target.toolUsing ? 'B1' : null;
}

function state(calling: CallingFacts, target: TargetFacts): Refusal | null {
  if (target.deleted || target.disabled) return 'C1';
  if (!target.ownerActive) return 'C2';
  return calling.organization.suspended || target.organization.suspended ? 'C4' : null;
}

function within(calling: CallingFacts, target: TargetFacts): CallDecision {
  const right = rightOf(calling, target);
  return right === null ? refused('A6') : { allowed: true, row: right };
}

function rightOf(calling: CallingFacts, target: TargetFacts): Grant | null {
  if (target.ownerId === calling.ownerId) return 'A1';
  if (target.sharedWithOwner) return 'A2';
  return target.publication === 'none' ? null : 'A4';
}

/** Ownership and publication end at the organization; a call across needs the consent of both. */
function across(calling: CallingFacts, target: TargetFacts): CallDecision {
  const consent = target.organization.exports && calling.organization.imports;
  const right = target.publication === 'public' ? 'D3' : target.sharedWithOwner ? 'D5' : null;
  if (right !== null) return consent ? { allowed: true, row: right } : refused('D4');
  if (target.ownerId === calling.ownerId) return refused('D1');
  return refused(target.publication === 'organization' ? 'D2' : 'A6');
}
