import { Inject, Injectable, type NestMiddleware } from '@nestjs/common';
import type { NextFunction, Response } from 'express';
import { AppError, type Caller, isTeacher, KeyedGates } from '../../kernel';
import { OrganizationsService } from '../../organizations';
import { Admission, type LeavePlace } from '../../infrastructure/admission';
import { CONFIG, type Config } from '../../infrastructure/config';
import {
  type BellwetherRequest,
  clientAbortSignal,
  cutSlowBody,
  hasBody,
  isChat,
  isCompletion,
  takesBodyOfAnybody,
} from '../../infrastructure/http';
import { assertScope } from './access-decision';
import { namedBy } from './end-user';
import { RequestAuthenticator } from './request-authenticator';
import { TrustedProxies } from './trusted-proxies';

const RETRY_AFTER_SECONDS = 5;

/**
 * Runs before the body parsers: reads no body without a valid credential, and no large body without the scope of its
 * route. The guard decides the rest. Sign-in and logout notices take a small body without a credential. Completions wait
 * for their place here or are refused, before their body costs anything.
 */
@Injectable()
export class CredentialGate implements NestMiddleware<BellwetherRequest, Response> {
  /** Completions of one person whose body was not read yet. `CompletionPlaces` counts the others. */
  private readonly persons: KeyedGates;

  constructor(
    @Inject(CONFIG) { runs }: Pick<Config, 'runs'>,
    private readonly authenticator: RequestAuthenticator,
    private readonly admission: Admission,
    private readonly organizations: OrganizationsService,
    private readonly proxies: TrustedProxies,
  ) {
    this.persons = new KeyedGates(runs.completions.person);
  }

  use(request: BellwetherRequest, response: Response, next: NextFunction): void {
    if (!hasBody(request) || takesBodyOfAnybody(request)) return next();
    this.authenticate(request, response).then(() => next(), next);
  }

  /** The guard reuses the caller. */
  private async authenticate(request: BellwetherRequest, response: Response): Promise<void> {
    const needsPlace = isCompletion(request);
    if (needsPlace) this.admission.assertOpen();
    const caller = await this.authenticator.authenticate(request);
    request.caller = caller;
    if (needsPlace || isChat(request)) assertScope(caller, 'chat');
    if (!needsPlace) return;
    this.enterAsPerson(caller, request);
    const { organizationId } = caller;
    const atOnce = this.admission.tryEnter(organizationId);
    const leave = atOnce ?? (await this.waitForPlace(organizationId, response));
    request.hasPlace = true;
    if (response.closed) leave();
    else response.once('close', leave);
    // The credential may have been revoked while the request waited.
    if (atOnce === null) request.caller = await this.authenticator.authenticate(request);
    // From here on the body is read.
    cutSlowBody(request);
  }

  /** One person must not take all places by bodies that never end. @throws AppError `too_many_requests` */
  private enterAsPerson(caller: Caller, request: BellwetherRequest): void {
    const { organizationId, userId, scopes } = caller;
    const { headers, socket } = request;
    const isProxied = this.proxies.sent({ headers, remoteAddress: socket.remoteAddress ?? null });
    const { endUser, mayNameEndUser } = namedBy(headers, { isProxied, scopes });
    // The body may name the person.
    if (endUser === undefined && (isTeacher(caller) || mayNameEndUser === 'anywhere')) return;
    const person = `${organizationId}/${userId}/${endUser?.id ?? ''}`;
    if (!this.persons.tryEnter(person)) {
      const detail = 'Too many completions are being answered; wait for one to end';
      throw new AppError('too_many_requests', detail, { retryAfter: RETRY_AFTER_SECONDS });
    }
    if (request.closed) this.persons.leave(person);
    else request.once('close', () => this.persons.leave(person));
  }

  private async waitForPlace(organizationId: string, response: Response): Promise<LeavePlace> {
    const weight = await this.organizations.weight(organizationId);
    return this.admission.enter({ organizationId, weight, gone: clientAbortSignal(response) });
  }
}
