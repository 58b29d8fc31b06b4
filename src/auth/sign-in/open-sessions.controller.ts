import type { Caller } from '@bellwether/kernel';
import { Controller, Delete, Get, HttpCode, Param } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { ADMINISTRATORS, Access, CurrentCaller } from '../../infrastructure/http';
import { assertScope } from '../access/authenticator';
import { OpenSessions } from './open-sessions.service';
import { InOrganization, type OrganizationRequest } from '../../organizations';
import { OpenSessionsDto } from './session.dto';

/** Ending sessions needs the scope `write` of a key. A browser session may always do it. */
function assertMayEnd(caller: Caller): void {
  if (caller.kind === 'api_key') assertScope(caller, 'write');
}

@ApiTags('Session')
@Controller('api/v1')
export class OpenSessionsController {
  constructor(private readonly open: OpenSessions) {}

  @Get('sessions')
  @Access({ scope: 'read', summary: 'Where am I signed in?' })
  async list(@CurrentCaller() caller: Caller): Promise<OpenSessionsDto> {
    return { items: await this.open.list(caller) };
  }

  @Delete('sessions')
  @HttpCode(204)
  @Access({
    scope: 'read',
    summary: 'Sign me out everywhere else',
    description:
      'Ends every session of the caller but the one that asks; asked with a key, which needs the scope `write`, all of them.',
  })
  async endOthers(@CurrentCaller() caller: Caller): Promise<void> {
    assertMayEnd(caller);
    await this.open.endOthers(caller);
  }

  @Delete('sessions/:id')
  @HttpCode(204)
  @Access({
    scope: 'read',
    summary: 'Sign me out in one browser',
    description: 'Ends one session of the caller. A key needs the scope `write`.',
  })
  async endOne(@CurrentCaller() caller: Caller, @Param('id') id: string): Promise<void> {
    assertMayEnd(caller);
    await this.open.endOne(caller, id);
  }

  @Delete('organizations/:slug/members/:member/sessions')
  @HttpCode(204)
  @Access({
    ...ADMINISTRATORS,
    summary: 'Sign a member out everywhere',
    description: '`member` is a user id or an e-mail address. Keys of the member stay, and open new sessions.',
  })
  async endOfMember(@InOrganization() at: OrganizationRequest, @Param('member') member: string): Promise<void> {
    await this.open.endOfMember(at, member);
  }
}
