// One of several processes that all want the same lock at the same moment. Stays until its input ends.
const { join } = require('node:path');

const [compiled, file, moment] = process.argv.slice(2);
const { DirectoryLock } = require(join(compiled, 'packages/embedded-postgres/src/directory-lock'));

while (Date.now() < Number(moment));
DirectoryLock.acquire(file).then(
  () => console.log('won'),
  (error) => console.log(error.code === 'directory_in_use' ? 'lost' : error.stack),
);
process.stdin.resume();
