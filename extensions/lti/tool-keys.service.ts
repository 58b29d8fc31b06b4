import { AppError } from '@bellwether/kernel';
import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { OrganizationStatusService } from '../../src/organizations';
import { AcrossOrganizations } from '../../src/infrastructure/database';
import { SecretsService } from '../../src/infrastructure/secrets';
import { newKeyPair, type PublicJwk, signedWith } from './key-pair';
import type { ToolKeyEntity } from './tool-key.entity';
import { ToolKeyRepository } from './tool-key.repository';

/** Age at which a newer key takes over signing. */
const SIGNING_DAYS = 180;
/** Age at which a key leaves the published set. Nothing that it signed is valid for longer than minutes. */
const PUBLISHED_DAYS = 210;
const DAY_MS = 86_400_000;
/** A platform that has read the set before the key was made reads it again on an unknown `kid`. */
const CACHE_MS = 60_000;
const LIFETIME_SECONDS = 300;

const fieldOf = (kid: string): string => `lti_key.${kid}`;

/** The keys with which this service signs as an LTI tool: one set for all organizations. */
@Injectable()
export class ToolKeys {
  private known: { readonly keys: readonly ToolKeyEntity[]; readonly at: number } | null = null;

  constructor(
    private readonly repository: ToolKeyRepository,
    private readonly status: OrganizationStatusService,
    private readonly secrets: SecretsService,
  ) {}

  /** The published set (RFC 7517 §5). */
  async publicSet(): Promise<{ keys: PublicJwk[] }> {
    return { keys: (await this.current()).map(({ publicJwk }) => publicJwk) };
  }

  /** A JWT with `iat`, and `exp` five minutes later. @throws {AppError} `secret_unavailable` */
  @AcrossOrganizations('sign-in')
  async sign(claims: Readonly<Record<string, unknown>>): Promise<string> {
    const [key] = await this.current();
    if (key === undefined) throw new AppError('secret_unavailable', 'The signing key cannot be read');
    const { kid } = key;
    const privateJwk = await this.secrets.open(await this.keeper(), fieldOf(kid), key.privateJwk);
    return signedWith({ kid, privateJwk }, claims, LIFETIME_SECONDS);
  }

  /** Newest first. Makes the first key, and the next one in time. */
  @AcrossOrganizations('sign-in')
  private async current(): Promise<readonly ToolKeyEntity[]> {
    if (this.known !== null && Date.now() - this.known.at < CACHE_MS) return this.known.keys;
    let keys = await this.repository.all();
    if (keys[0] === undefined || Date.now() - keys[0].createdAt.getTime() > SIGNING_DAYS * DAY_MS) {
      await this.make();
      await this.repository.removeOlderThan(PUBLISHED_DAYS);
      keys = await this.repository.all();
    }
    this.known = { keys, at: Date.now() };
    return keys;
  }

  /** Two replicas may make one each: both are published. */
  private async make(): Promise<void> {
    const kid = randomBytes(8).toString('hex');
    const { publicJwk, privateJwk } = await newKeyPair(kid);
    const sealed = await this.secrets.seal(await this.keeper(), fieldOf(kid), privateJwk);
    await this.repository.insert({ kid, publicJwk, privateJwk: sealed });
  }

  /** The system organization, whose data key seals the keys. */
  private async keeper(): Promise<string> {
    const id = await this.status.systemId();
    if (id === null) throw new AppError('unavailable', 'The service has not started for the first time yet');
    return id;
  }
}
