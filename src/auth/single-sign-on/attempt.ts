import { createHmac } from 'node:crypto';
import ipaddr from 'ipaddr.js';
import type { LoginChecks } from '../issuers/openid-client';

/**
 * The checks of one sign-in, made from the browser's token and `state`. They are stored nowhere: whoever reads the database
 * or steals `state` cannot make them.
 */
export function checksOf(browser: string, state: string, redirectUri: string): LoginChecks {
  const derived = (purpose: string): string =>
    createHmac('sha256', browser).update(`${purpose}\n${state}`).digest('base64url');
  return { redirectUri, state, nonce: derived('nonce'), verifier: derived('verifier') };
}

/** A path of this service to go on with; anything else is the start page. */
export function ownPath(text: unknown): string {
  if (typeof text !== 'string' || text.length > 2_000 || !/^\/(?![/\\])[\x21-\x7e]*$/.test(text)) return '/';
  return URL.canParse(text, 'http://own.invalid') && new URL(text, 'http://own.invalid').host === 'own.invalid'
    ? text
    : '/';
}

/** Addresses that belong to one customer: an IPv6 network of 64 bits, or one IPv4 address. */
export function addressGroup(text: string | null): string {
  if (text === null || !ipaddr.isValid(text)) return 'unknown';
  const address = ipaddr.process(text);
  return address instanceof ipaddr.IPv6 ? address.toByteArray().slice(0, 8).join('.') : address.toString();
}
