import { i18n, t } from '$lib/kit/i18n/i18n.svelte';
import type { ChatCard } from './chat.types';

/** Failures that readers can do something about, or that tell them how long to wait. */
const TOLD: ReadonlySet<string> = new Set([
  'offline',
  'rate_limited',
  'too_many_requests',
  'quota_exceeded',
  'payload_too_large',
  'conversation_busy',
  'overloaded',
  'activity_closed',
  'agreement_required',
  'not_found',
  'forbidden',
  'feature_disabled',
  'unauthenticated',
]);

/** Why there is no answer, or only a part of one, in words for people who cannot change the assistant. */
export function plainFailure(code: string | null, hasText = false): string {
  const told = code !== null && TOLD.has(code) ? i18n.maybe(`errors.${code}`) : null;
  if (told !== null) return told;
  if (code === 'upstream_rate_limited' || code === 'unavailable') return t('chat.failed.busy');
  if (code === 'upstream_timeout' || code === 'tool_loop.timeout') return t('chat.failed.slow');
  return code === 'server_shutdown' || code === 'worker_lost' ? restarted(hasText) : broken(hasText);
}

const restarted = (hasText: boolean): string => t(hasText ? 'chat.failed.restarted_part' : 'chat.failed.restarted');
const broken = (hasText: boolean): string => t(hasText ? 'chat.failed.part' : 'chat.failed');

/** Why nobody can ask the assistant. */
export function silence({ closed, can_edit }: ChatCard): string {
  if (closed === null) return t(can_edit ? 'chat.no_answers_editor' : 'chat.no_answers');
  if (closed.reason === 'withdrawn') return t('chat.closed.withdrawn');
  return closed.owner === null ? t('chat.closed.paused') : t('chat.closed.paused_by', { owner: closed.owner });
}

/** The rules of the course have changed since they were read. */
export const isClosedByCourse = (code: string | null): boolean =>
  code === 'activity_closed' || code === 'agreement_required';
