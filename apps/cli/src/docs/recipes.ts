/** What docs/cli.md begins with: how to start, and what people combine commands for. */
export const recipes = `\`holdfast\` is one file for Node 20.3 or later and for Bun. In a clone, \`npx holdfast\` runs the source, and
\`npm run build -w @holdfast/cli\` writes the package with the file to \`apps/cli/dist\`.

\`\`\`sh
holdfast login --url https://holdfast.example.com
holdfast servers list
holdfast backup Harbour
\`\`\`

People get tables, trees and bars; a pipe gets JSON, one line per step while a job runs, and the record of the job as the
last line. A server is given by its name or its id. Scripts set \`HOLDFAST_API_KEY\` and \`HOLDFAST_URL\` ([which key is sent
where](#login)), and nothing is asked where there is no terminal: what destroys needs \`--yes\` there.

## Recipes

A backup every night, whose failure cron reports by mail:

\`\`\`sh
30 3 * * * HOLDFAST_URL=https://holdfast.example.com HOLDFAST_API_KEY=… holdfast backup Harbour --quiet --jq .id
\`\`\`

Which servers need a look:

\`\`\`sh
holdfast servers list --all --jq '.[] | select(.health != "GOOD") | .name'
\`\`\`

What a restore would do, before it does it:

\`\`\`sh
holdfast restores plan Harbour good
holdfast restore Harbour good --components roles --dry-run
\`\`\`

After an attack, from the terminal of a phone (40 columns are enough):

\`\`\`sh
holdfast recover Harbour
\`\`\`

Ctrl-C ends only the watching; the job goes on. It prints the command to come back, such as:

\`\`\`sh
holdfast watch restore <restore>
\`\`\``;
