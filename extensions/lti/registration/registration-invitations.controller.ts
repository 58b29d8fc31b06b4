import { Controller, Post } from '@nestjs/common';
import { ApiProperty, ApiTags } from '@nestjs/swagger';
import { ADMINISTRATORS, Access } from '../../../src/infrastructure/http';
import { InOrganization, type OrganizationRequest } from '../../../src/organizations';
import { Registrations } from './registrations.service';

export class RegistrationAddressDto {
  /** Address to be pasted into the page of the platform that registers tools. Works once. */
  @ApiProperty({ example: 'https://bellwether.example.edu/lti/register/mZ1xPq7…' })
  registration_url!: string;
  @ApiProperty({ format: 'date-time' })
  expires_at!: string;
}

@ApiTags('LTI')
@Controller('api/v1/organizations/:slug/lti/registrations')
export class RegistrationInvitationsController {
  constructor(private readonly registrations: Registrations) {}

  @Post()
  @Access({
    ...ADMINISTRATORS,
    summary: 'Address with which a learning platform registers itself',
    description:
      'LTI Dynamic Registration. The address works once, for a week, and is not shown again. The platform then waits with ' +
      '`awaits_approval` until it is changed to `active`.',
  })
  async invite(@InOrganization() at: OrganizationRequest): Promise<RegistrationAddressDto> {
    const { code, expiresAt } = await this.registrations.invite(at);
    const address = `${at.origin}/lti/register/${code}`;
    return { registration_url: address, expires_at: expiresAt.toISOString() };
  }
}
