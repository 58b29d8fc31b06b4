import { createHmac } from 'node:crypto';
import { isJsonObject } from '../../../src/kernel';
import type { LaunchMessage } from '../messages/launch-claims';
import { LAMB_PATHS } from './bridge.types';
import { isSameText } from './same-text';

const CORE = 'https://purl.imsglobal.org/spec/lti/claim/';
const MOST_TEXT = 255;

/** What a platform says about the link and the person before the change to LTI 1.3. */
export interface LegacyClaim {
  readonly consumerKey: string | null;
  readonly userId: string;
  readonly resourceLinkId: string | null;
  readonly contextId: string | null;
  /** Name of the platform; empty where it is not told. */
  readonly guid: string;
  /** The text that the consumer key's secret signs, with the signature; null for a claim without one. */
  readonly signed: { readonly base: string; readonly signature: string } | null;
}

/**
 * The claim `lti1p1` (1EdTech LTI 1.3 Migration Guide, LTI 1.1 Migration Claim). The platform leaves ids out that did not
 * change.
 */
export function legacyClaimIn(
  {
    claims,
    deploymentId,
    person,
    link,
    course,
  }: Pick<LaunchMessage, 'claims' | 'deploymentId' | 'person' | 'link' | 'course'>,
  clientId: string,
): LegacyClaim {
  const claim = objectOf(claims[`${CORE}lti1p1`]);
  const text = (...values: unknown[]): string | null => values.map(textOf).find((value) => value !== null) ?? null;
  const consumerKey = textOf(claim['oauth_consumer_key']);
  const signature = textOf(claim['oauth_consumer_key_sign']);
  const { iss, exp, nonce } = claims;
  const base = [consumerKey, deploymentId, iss, clientId, exp, nonce].join('&');
  return {
    consumerKey,
    userId: text(claim['user_id'], claims[`${CORE}lti11_legacy_user_id`]) ?? person.subject,
    resourceLinkId: text(claim['resource_link_id'], link?.id),
    contextId: text(claim['context_id'], course?.contextId),
    guid: text(claim['tool_consumer_instance_guid'], objectOf(claims[`${CORE}tool_platform`])['guid']) ?? '',
    signed: consumerKey === null || signature === null ? null : { base, signature },
  };
}

export const isSignedBy = ({ signed }: LegacyClaim, secret: string): boolean =>
  signed !== null && isSameText(createHmac('sha256', secret).update(signed.base).digest('base64'), signed.signature);

/** Whether the link of a launch still leads to LAMB's paths. */
export function leadsToLamb({ claims }: Pick<LaunchMessage, 'claims'>): boolean {
  const target = claims[`${CORE}target_link_uri`];
  if (typeof target !== 'string' || !URL.canParse(target)) return false;
  const path = new URL(target).pathname.replace(/\/$/, '');
  return Object.values<string>(LAMB_PATHS).includes(path);
}

const objectOf = (value: unknown): Readonly<Record<string, unknown>> => (isJsonObject(value) ? value : {});

const textOf = (value: unknown): string | null =>
  typeof value === 'string' && value !== '' && value.length <= MOST_TEXT && !value.includes('\0') ? value : null;
