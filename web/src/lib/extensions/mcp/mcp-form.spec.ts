import { describe, expect, it } from 'vitest';
import { settingsPatchSchema } from '../../../../../src/organizations/settings/settings.schema';
import { losesToken, mcpFormOf, mcpPatch, SERVER_NAME, SERVER_NAME_MAX } from './mcp-form';

const server = { url: 'https://mcp.library.example/mcp', enabled: false, token_configured: true };

describe('the form of an MCP server', () => {
  it('changes nothing when nothing was changed', () => {
    expect(mcpPatch(server, mcpFormOf(server))).toEqual({});
  });

  it('names what changed, and a token only when one was typed or taken away', () => {
    const form = mcpFormOf(server);
    expect(mcpPatch(server, { ...form, enabled: true, url: ' https://other.example/mcp ' })).toEqual({
      url: 'https://other.example/mcp',
      enabled: true,
    });
    expect(mcpPatch(server, { ...form, url: ' ' })).toEqual({ url: null });
    expect(mcpPatch(server, { ...form, token: 'secret' })).toEqual({ token: 'secret' });
    expect(mcpPatch(server, { ...form, clearToken: true })).toEqual({ token: null });
  });

  it('tells that another address loses the stored token', () => {
    const elsewhere = { ...mcpFormOf(server), url: 'https://other.example/mcp' };
    expect([losesToken(server, mcpFormOf(server)), losesToken(server, elsewhere)]).toEqual([false, true]);
    expect(losesToken(server, { ...elsewhere, token: 'new' })).toBe(false);
    expect(losesToken({ ...server, token_configured: false }, elsewhere)).toBe(false);
  });

  it('takes the names that the service takes', () => {
    const { pattern } = settingsPatchSchema.properties.mcp.properties.servers.propertyNames;
    const here = new RegExp(`^(?:${SERVER_NAME})$`, 'v');
    for (const name of ['library', 'a', 'a-1', 'A', '1a', 'a_b', '', 'a'.repeat(24), 'a'.repeat(25)]) {
      const taken = here.test(name) && name.length <= SERVER_NAME_MAX;
      expect([name, taken]).toEqual([name, new RegExp(pattern).test(name)]);
    }
  });
});
