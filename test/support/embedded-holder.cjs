// A process that runs the embedded database on a directory until its input ends. Says where, or why it cannot.
const { join } = require('node:path');

const [compiled, dataDir] = process.argv.slice(2);
const { startEmbedded } = require(join(compiled, 'packages/embedded-postgres/src'));

async function main() {
  const database = await startEmbedded({ dataDir });
  console.log(JSON.stringify({ url: database.url }));
  const close = async () => {
    await database.close();
    process.exit(0);
  };
  process.stdin.resume().on('end', close);
  process.on('SIGTERM', close);
}

main().catch((error) => {
  console.log(JSON.stringify({ error: error.message }));
  process.exit(1);
});
