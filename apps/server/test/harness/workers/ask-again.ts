/**
 * Asks for one address again and again, each time on the same connection, and writes how long the answers
 * took: a process of its own, so that nothing in the test delays what is measured.
 */
const [address = '', key = '', pauseMs = '5'] = process.argv.slice(2);
const headers = { authorization: `Bearer ${key}` };

export {};

let isEnded = false;
process.stdin.once('end', () => (isEnded = true)).resume();

while (!isEnded) {
  const startedAt = performance.now();
  const { status } = await fetch(address, { headers }).then(async (response) => {
    await response.arrayBuffer();
    return response;
  });
  process.stdout.write(`${startedAt} ${performance.now() - startedAt} ${status}\n`);
  await Bun.sleep(Number(pauseMs));
}
