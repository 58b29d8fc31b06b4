import { AppError, type Caller, type Scope } from '@bellwether/kernel';
import { applyDecorators, createParamDecorator, type ExecutionContext, SetMetadata } from '@nestjs/common';
import { ApiBearerAuth, ApiCookieAuth, ApiExtraModels, ApiOperation, ApiResponse } from '@nestjs/swagger';
import type { Request } from 'express';
import { describeErrors, ERRORS } from '../errors/describe-errors.decorator';
import { PROBLEM, ProblemDto } from '../errors/problem.dto';

export const ACCESS_METADATA = 'bellwether:access';

export const REQUIRED_ROLES = ['member', 'teacher', 'organization_admin', 'system_admin'] as const;
export type RequiredRole = (typeof REQUIRED_ROLES)[number];

export interface AccessOptions {
  readonly scope: Scope;
  /** Another scope that opens the route as well. */
  readonly or?: Scope;
  /** Least role; `member` when absent. */
  readonly role?: RequiredRole;
  readonly summary: string;
  readonly description?: string;
}

/** Permission of the routes for administrators of the organization. */
export const ADMINISTRATORS = { scope: 'admin', role: 'organization_admin' } as const;

/** Permission of a route, or `public`. The guard denies a route without either. */
export type AccessRule =
  { readonly public: true; readonly identifies: boolean } | ({ readonly public: false } & AccessOptions);

const scopesOf = ({ scope, or }: AccessOptions): string =>
  [scope, or]
    .filter((each) => each !== undefined)
    .map((each) => `\`${each}\``)
    .join(' or ');

/** Declares and documents who may call a route. */
export const Access = (options: AccessOptions): MethodDecorator =>
  applyDecorators(
    SetMetadata(ACCESS_METADATA, { public: false, ...options } satisfies AccessRule),
    ApiBearerAuth(),
    ApiCookieAuth(),
    ApiOperation({
      summary: options.summary,
      description: [options.description, `Scope ${scopesOf(options)}, role \`${options.role ?? 'member'}\` or higher.`]
        .filter((line) => line !== undefined)
        .join('\n\n'),
    }),
    describeErrors('application/problem+json', ProblemDto),
  );

export const FOR_PEOPLE_METADATA = 'bellwether:for-people';

/**
 * Closes the routes of a controller to credentials that work for some assistants only: they belong to a program, and its
 * users have no part in the material and the groups of the key's owner.
 */
export const ForPeople = (): ClassDecorator => SetMetadata(FOR_PEOPLE_METADATA, true);

/** A route without credentials. `identifies`: a caller with a valid one is known all the same. */
export const Public = (summary: string, { identifies = false } = {}): MethodDecorator =>
  applyDecorators(
    SetMetadata(ACCESS_METADATA, { public: true, identifies } satisfies AccessRule),
    ApiOperation({
      summary,
      description: identifies
        ? 'Public. A session or an API key identifies the caller.'
        : 'Public: needs no session and no API key.',
      security: identifies ? [{}, { bearer: [] }, { cookie: [] }] : [],
    }),
    ApiExtraModels(ProblemDto),
    ApiResponse({ status: '4XX', description: ERRORS['4XX'], content: PROBLEM }),
  );

/** Request with the caller and the request id. */
export type BellwetherRequest = Request & {
  caller?: Caller;
  id?: unknown;
  /** The request holds a place for an answer (`Admission`) until its response closes. */
  hasPlace?: boolean;
};

/** @throws {AppError} `unauthenticated` */
export function callerOf(context: ExecutionContext): Caller {
  const { caller } = context.switchToHttp().getRequest<BellwetherRequest>();
  if (caller === undefined) throw new AppError('unauthenticated', 'A credential is required');
  return caller;
}

/** A parameter whose decorator also documents its method. */
export const documented =
  (parameter: ParameterDecorator, documentation: MethodDecorator): ParameterDecorator =>
  (target, key, index) => {
    parameter(target, key, index);
    const method = key === undefined ? undefined : Object.getOwnPropertyDescriptor(target, key);
    if (key !== undefined && method !== undefined) documentation(target, key, method);
  };

export const CurrentCaller = createParamDecorator((_data: unknown, context: ExecutionContext) => callerOf(context));
