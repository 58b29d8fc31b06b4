import type { Caller } from '@bellwether/kernel';
import { type KeyObject, createHmac } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { SecretsService } from '../infrastructure/secrets';

const PURPOSE = 'vendor-user-ids';
/** 128 bits, in hex. OpenAI and Anthropic accept far longer ones. */
const LENGTH = 32;

type Person = Pick<Caller, 'userId' | 'endUser' | 'mayNameEndUser'>;

/** Null when the request could name its end user and did not: the person is unknown. */
function identityOf({ userId, endUser, mayNameEndUser }: Person): string | null {
  if (endUser !== undefined) return `end-user\n${endUser.source}\n${endUser.id}`;
  return mayNameEndUser === undefined ? `user\n${userId}` : null;
}

/**
 * Pseudonyms of people towards vendors: an HMAC of the organization that pays and the person. The vendor cannot reverse
 * them; the organization finds the person again by computing the pseudonyms of its people.
 */
@Injectable()
export class VendorPseudonyms {
  /** Newest first. Pseudonyms made with an older key can still be looked up. */
  private readonly keys: readonly KeyObject[];
  private readonly people = new Map<string, Person>();

  constructor(secrets: SecretsService) {
    this.keys = secrets.derivedKeys(PURPOSE);
  }

  /** Model calls of the run are made for this person until `release`. */
  bind(runId: string, person: Person): void {
    this.people.set(runId, person);
  }

  release(runId: string): void {
    this.people.delete(runId);
  }

  /** Null for an unknown person, and on a service without a secrets key. */
  ofRun(runId: string, organizationId: string): string | null {
    const person = this.people.get(runId);
    const identity = person === undefined ? null : identityOf(person);
    const [key] = this.keys;
    return identity === null || key === undefined ? null : pseudonym(key, organizationId, identity);
  }

  /** Every pseudonym that a user has or had. */
  ofUser(userId: string, organizationId: string): readonly string[] {
    return this.keys.map((key) => pseudonym(key, organizationId, `user\n${userId}`));
  }
}

const pseudonym = (key: KeyObject, organizationId: string, identity: string): string =>
  createHmac('sha256', key).update(`${organizationId}\n${identity}`).digest('hex').slice(0, LENGTH);
