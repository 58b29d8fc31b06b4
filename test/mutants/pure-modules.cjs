// The modules that decide and know no database and no network. `MUTANTS=lti,access` asks for some of them only.
const { dirname } = require('node:path');

const ORCHESTRATORS = 'src/orchestrators';

const MODULES = {
  definition: { mutate: ['src/assistants/definition/**/*.ts'], specs: ['src/assistants/definition'] },
  templates: { mutate: ['packages/kernel/src/templates/**/*.ts'], specs: ['packages/kernel/src/templates'] },
  orchestrators: {
    mutate: [
      `${ORCHESTRATORS}/**/*.ts`,
      `!${ORCHESTRATORS}/**/*.{controller,dto,module}.ts`,
      `!${ORCHESTRATORS}/{planning,testing}/**`,
    ],
    specs: [ORCHESTRATORS],
  },
  metering: {
    mutate: ['src/metering/applied-rules.ts'],
    specs: ['src/metering/applied-rules.spec.ts', 'src/metering/windows.spec.ts'],
  },
  lti: {
    mutate: ['extensions/lti/{id-token,launch-claims,roles}.ts'],
    specs: ['extensions/lti/id-token.spec.ts', 'extensions/lti/launch-claims.spec.ts'],
  },
  access: {
    mutate: [
      'src/assistants/access/{assistant.permissions,assistant-id.pipe}.ts',
      'src/auth/access/{access-decision,credential,end-user,failed-credentials.service}.ts',
    ],
    specs: [
      'src/assistants/access',
      'src/auth/access/access-decision.spec.ts',
      'src/auth/access/credential.spec.ts',
      'src/auth/access/end-user.spec.ts',
      'src/auth/access/failed-attempts.spec.ts',
    ],
  },
};
const asked = (process.env.MUTANTS ?? Object.keys(MODULES).join(',')).split(',').map((name) => MODULES[name]);

const specs = asked.flatMap((area) => area.specs);

module.exports = {
  mutate: [...asked.flatMap(({ mutate }) => mutate), '!**/*.{spec,types}.ts', '!**/index.ts'],
  specs,
  folders: specs.map((spec) => (spec.endsWith('.ts') ? dirname(spec) : spec)),
};
