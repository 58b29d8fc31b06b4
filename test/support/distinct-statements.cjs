// One process of several: asks statements that no other process asks and counts whether the answers are its own.
const { Pool } = require('pg');

const [url, id] = process.argv.slice(2);
const CONNECTIONS = 5;
const EACH = 60;

async function main() {
  const pool = new Pool({ connectionString: url, max: CONNECTIONS });
  const report = { right: 0, wrong: 0, failed: 0 };
  const ask = async (connection) => {
    for (let n = 0; n < EACH; n += 1) {
      const sent = `${id}-${connection}-${n}`;
      // Every third in a transaction, every second prepared under a name that all processes use.
      const name = n % 2 ? { name: `statement-${connection}` } : {};
      const client = await pool.connect();
      try {
        if (n % 3 === 0) await client.query('BEGIN');
        const { rows } = await client.query({ text: 'SELECT $1::text AS back', values: [sent], ...name });
        if (n % 3 === 0) await client.query('COMMIT');
        if (rows.length === 1 && rows[0].back === sent) report.right += 1;
        else report.wrong += 1;
      } catch {
        report.failed += 1;
      } finally {
        client.release();
      }
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, (_, connection) => ask(connection)));
  await pool.end();
  console.log(JSON.stringify(report));
}

void main();
