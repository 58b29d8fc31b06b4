// The unit specs beside the code that is mutated: they need no database and boot no app.
const {
  projects: [unit],
} = require('../../jest.config.cjs');
const { specs } = require('./pure-modules.cjs');

module.exports = {
  ...unit,
  displayName: undefined,
  // Stryker wraps the environment and asks for its path.
  testEnvironment: require.resolve('../support/warm-environment.cjs'),
  roots: ['<rootDir>/src'],
  testMatch: specs.map((folder) => `<rootDir>/${folder}/**/*.spec.ts`),
};
