// A fresh clone knows no durations, and jest begins with the largest files: a small one that starts servers would come last
// and keep one worker busy alone. Here those come first whose time is not in their lines, and unit tests fill the end.
const { default: Sequencer } = require('@jest/test-sequencer');

const LONG = /\/slow\/|run-terminal\.spec\.ts$/;

const rank = ({ path, context }) => {
  if (context.config.displayName?.name === 'unit') return 2;
  return LONG.test(path) ? 0 : 1;
};

module.exports = class LongFirstSequencer extends Sequencer {
  sort(tests) {
    return super.sort(tests).sort((one, other) => rank(one) - rank(other));
  }
};
