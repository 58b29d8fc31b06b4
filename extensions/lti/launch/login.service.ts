import { isUuid } from '@bellwether/kernel';
import { Injectable } from '@nestjs/common';
import { addressGroup, newSessionToken, sessionHashOf } from '../../../src/auth';
import type { PlatformStorage } from '../browser-pages';
import { RefusedLaunch } from '../launch-claims';
import type { PlatformEntity } from '../platforms/platform.entity';
import { PlatformRepository } from '../platforms/platform.repository';
import { DEEP_LINK_PATH, LAUNCH_PATH } from '../platforms/platforms.service';
import { LaunchAttemptRepository } from './launch-attempt.repository';

/** Parameters of a query or a form; repeated ones are no text. */
export type Parameters = Readonly<Record<string, unknown>>;

export interface BegunLogin {
  /** Address at the platform to which the browser goes. */
  readonly url: string;
  /** Set where the platform offers to keep the secret of the browser. */
  readonly storage: (PlatformStorage & { readonly secret: string }) | null;
}

interface LoginRequest {
  /** Id in the address; null at the address of all platforms. */
  readonly platformId: string | null;
  readonly parameters: Parameters;
  /** Secret of the browser. */
  readonly browser: string;
  /** Origin of this service. */
  readonly origin: string;
  readonly address: string | null;
}

/** Parameters are passed on unaltered (1EdTech Security Framework 1.0 §5.1.1.3), or the login is refused. */
const MOST_HINT = 8_000;

/** Third-party initiated login (1EdTech Security Framework 1.0 §5.1.1). */
@Injectable()
export class LaunchLogins {
  constructor(
    private readonly platforms: PlatformRepository,
    private readonly attempts: LaunchAttemptRepository,
  ) {}

  /** @throws RefusedLaunch */
  async begin({ platformId, parameters, browser, origin, address }: LoginRequest): Promise<BegunLogin> {
    const platform = await this.platformOf(platformId, parameters);
    const loginHint = parameterOf(parameters, 'login_hint');
    if (loginHint === null) throw new RefusedLaunch('bad_request', 'no login_hint');
    const deploymentId = parameterOf(parameters, 'lti_deployment_id');
    if (deploymentId !== null && !platform.deploymentIds.includes(deploymentId)) {
      throw new RefusedLaunch('deployment', `platform ${platform.id}`);
    }
    const messageHint = parameterOf(parameters, 'lti_message_hint');
    const path = pathOf(parameterOf(parameters, 'target_link_uri'), origin);
    const target = parameterOf(parameters, 'lti_storage_target');
    const [state, nonce, secret] = [newSessionToken(), newSessionToken(), newSessionToken()];
    await this.attempts.insert({
      hash: sessionHashOf(state),
      browserHash: sessionHashOf(browser),
      nonceHash: sessionHashOf(nonce),
      platformId: platform.id,
      address: addressGroup(address),
      storageTarget: target,
      login: {
        loginHint,
        messageHint,
        deploymentId,
        path,
        storageHash: target === null ? null : sessionHashOf(secret),
      },
    });
    const url = new URL(platform.authorizationEndpoint);
    const query = {
      scope: 'openid',
      response_type: 'id_token',
      response_mode: 'form_post',
      prompt: 'none',
      client_id: platform.clientId,
      redirect_uri: origin + path,
      login_hint: loginHint,
      ...(messageHint !== null && { lti_message_hint: messageHint }),
      state,
      nonce,
    };
    for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
    return {
      url: url.href,
      storage: target === null ? null : { target, origin: url.origin, key: storageKeyOf(state), secret },
    };
  }

  private async platformOf(id: string | null, parameters: Parameters): Promise<PlatformEntity> {
    const issuer = parameterOf(parameters, 'iss');
    if (issuer === null) throw new RefusedLaunch('bad_request', 'no iss');
    const clientId = parameterOf(parameters, 'client_id');
    const platform = id === null ? await this.platforms.namedBy(issuer, clientId) : await this.addressed(id);
    const isMeant = platform?.issuer === issuer && (clientId === null || platform.clientId === clientId);
    if (platform === null || !isMeant) {
      const near = platform ?? (await this.platforms.namedBy(withOtherEnd(issuer), clientId));
      const hint = near?.issuer === withOtherEnd(issuer) ? ' is registered here with another slash at the end' : '';
      throw new RefusedLaunch('unknown_platform', issuer.slice(0, 200) + hint);
    }
    if (!platform.active) throw new RefusedLaunch('inactive_platform', `platform ${platform.id}`);
    return platform;
  }

  private addressed(id: string): Promise<PlatformEntity | null> {
    return isUuid(id) ? this.platforms.findAnywhere(id) : Promise.resolve(null);
  }
}

/** Key in the storage of the platform; the state itself is not told. */
export const storageKeyOf = (state: string): string => `bellwether-${sessionHashOf(state).slice(0, 16)}`;

export const textOf = (value: unknown): string | null =>
  typeof value === 'string' && value !== '' && value.length <= MOST_HINT && !value.includes('\0') ? value : null;

const withOtherEnd = (issuer: string): string => (issuer.endsWith('/') ? issuer.slice(0, -1) : `${issuer}/`);

/** Null for an absent or empty parameter. @throws RefusedLaunch `bad_request` for one that cannot be passed on as it is */
function parameterOf(parameters: Parameters, name: string): string | null {
  const value = parameters[name];
  if (value === undefined || value === '') return null;
  return textOf(value) ?? refused(`${name} is no text of at most ${MOST_HINT} characters`);
}

const refused = (detail: string): never => {
  throw new RefusedLaunch('bad_request', detail);
};

/** Every other target is a launch: the message says what it is for. */
const pathOf = (target: string | null, origin: string): string =>
  target === DEEP_LINK_PATH || target === origin + DEEP_LINK_PATH ? DEEP_LINK_PATH : LAUNCH_PATH;
