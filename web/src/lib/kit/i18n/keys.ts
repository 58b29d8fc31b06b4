import type shell from './messages/shell.en.json';
import type errors from './messages/errors.en.json';
import type assistants from './messages/assistants.en.json';
import type recipes from './messages/recipes.en.json';
import type sharing from './messages/sharing.en.json';
import type conflict from './messages/conflict.en.json';
import type changes from './messages/changes.en.json';
import type form from './messages/form.en.json';
import type pipeline from './messages/pipeline.en.json';
import type template from './messages/template.en.json';
import type tools from './messages/tools.en.json';
import type strategies from './messages/strategies.en.json';
import type functions from './messages/functions.en.json';
import type classic from './messages/classic.en.json';
import type playground from './messages/playground.en.json';
import type chat from './messages/chat.en.json';
import type runs from './messages/runs.en.json';
import type replays from './messages/replays.en.json';
import type tests from './messages/tests.en.json';
import type insights from './messages/insights.en.json';
import type receipts from './messages/receipts.en.json';
import type content from './messages/content.en.json';
import type account from './messages/account.en.json';
import type organization from './messages/organization.en.json';
import type connection from './messages/connection.en.json';
import type problem from './messages/problem.en.json';
import type groups from './messages/groups.en.json';
import type signOn from './messages/sign_on.en.json';
import type platforms from './messages/platforms.en.json';
import type bridge from './messages/bridge.en.json';
import type usage from './messages/usage.en.json';
import type limits from './messages/limits.en.json';
import type migration from './messages/migration.en.json';
import type privacy from './messages/privacy.en.json';
import type firstSteps from './messages/first_steps.en.json';
import type ranking from './messages/ranking.en.json';
import type sources from './messages/sources.en.json';
import type help from './messages/help.en.json';
import type courses from './messages/courses.en.json';
import type join from './messages/join.en.json';
import type health from './messages/health.en.json';

/** Every key of the English texts; a test compares the other languages with them. */
export type MessageKey =
  | keyof typeof shell
  | keyof typeof help
  | keyof typeof courses
  | keyof typeof health
  | keyof typeof join
  | keyof typeof ranking
  | keyof typeof sources
  | keyof typeof firstSteps
  | keyof typeof errors
  | keyof typeof assistants
  | keyof typeof recipes
  | keyof typeof sharing
  | keyof typeof conflict
  | keyof typeof changes
  | keyof typeof form
  | keyof typeof pipeline
  | keyof typeof template
  | keyof typeof tools
  | keyof typeof strategies
  | keyof typeof functions
  | keyof typeof classic
  | keyof typeof playground
  | keyof typeof chat
  | keyof typeof runs
  | keyof typeof replays
  | keyof typeof tests
  | keyof typeof insights
  | keyof typeof receipts
  | keyof typeof content
  | keyof typeof account
  | keyof typeof organization
  | keyof typeof connection
  | keyof typeof problem
  | keyof typeof groups
  | keyof typeof signOn
  | keyof typeof platforms
  | keyof typeof bridge
  | keyof typeof usage
  | keyof typeof limits
  | keyof typeof migration
  | keyof typeof privacy;
