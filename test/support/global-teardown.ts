async function tearDown(): Promise<void> {
  await globalThis.testDatabases?.stop();
}

export = tearDown;
