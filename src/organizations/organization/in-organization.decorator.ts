import type { Caller } from '@bellwether/kernel';
import { createParamDecorator, type ExecutionContext, Inject, Injectable, type PipeTransform } from '@nestjs/common';
import { ApiParam } from '@nestjs/swagger';
import { CONFIG, type Config } from '../../infrastructure/config';
import { type BellwetherRequest, callerOf, documented } from '../../infrastructure/http';
import { OrganizationsService } from './organizations.service';

/** The organization in the address of a request, and who asks there. */
export interface OrganizationRequest {
  readonly caller: Caller;
  readonly slug: string;
  readonly organizationId: string;
  /** Origin of this service, as its answers name it. */
  readonly origin: string;
}

/** The caller must be an administrator of the organization, or see it. */
type Right = 'administered' | 'seen';

interface Asked {
  readonly right: Right;
  readonly caller: Caller;
  readonly request: BellwetherRequest;
}

const askedBy = createParamDecorator((right: Right, context: ExecutionContext): Asked => {
  const request = context.switchToHttp().getRequest<BellwetherRequest>();
  return { right, caller: callerOf(context), request };
});

/** @throws {AppError} `not_found`, `forbidden` */
@Injectable()
class OrganizationOfAddress implements PipeTransform<Asked, Promise<OrganizationRequest>> {
  constructor(
    @Inject(CONFIG) private readonly config: Pick<Config, 'http'>,
    private readonly organizations: OrganizationsService,
  ) {}

  async transform({ right, caller, request }: Asked): Promise<OrganizationRequest> {
    const slug = String(request.params['slug']);
    const organizationId = await this.organizations[right](caller, slug);
    const origin = this.config.http.publicUrl ?? `${request.protocol}://${request.headers.host ?? 'localhost'}`;
    return { caller, slug, organizationId, origin };
  }
}

/** The organization that `:slug` names, once the caller's right to it is checked. */
export const InOrganization = (right: Right = 'administered'): ParameterDecorator =>
  documented(askedBy(right, OrganizationOfAddress), ApiParam({ name: 'slug', type: String }));
