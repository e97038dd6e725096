/** What docs/cli.md begins with: how to start, and what people combine commands for. */
export const recipes = `\`holdfast\` is one file for Node 20.3 or later and for Bun. In a clone, \`npx holdfast\` runs the source, and
\`npm run build -w @holdfast/cli\` writes the package with the file to \`apps/cli/dist\`.

\`\`\`sh
holdfast login --url https://holdfast.example.com
holdfast servers list
holdfast backup Harbour
\`\`\`

![Signing in by a code that the browser approves](recordings/login.svg)

People get tables, trees and bars; a pipe gets JSON, one line per step while a job runs, and the record of the job as the
last line. A server is given by its name or its id. Scripts set \`HOLDFAST_API_KEY\` and \`HOLDFAST_URL\` ([which key is sent
where](#login)), and nothing is asked where there is no terminal: what destroys needs \`--yes\` there.

## Recipes

### A backup every night, with a file of it

Sign in once under a profile of its own, with a key that can do no more than this. Cron reaches no keychain, so the key goes
into a file that only you can read:

\`\`\`sh
holdfast login --url https://holdfast.example.com --profile nightly \\
  --scopes servers:read,backups:read,backups:write --no-keychain
\`\`\`

Commands without \`--profile\` use the profile that was signed in last: where you also work by hand, sign in to your own once
more.

Save this as \`~/bin/holdfast-nightly\`, and make it executable with \`chmod 700\`:

\`\`\`sh
#!/bin/sh
# A backup in the service, and today's structure as a file with its images beside it.
set -eu
umask 077
export HOLDFAST_PROFILE=nightly
folder="$HOME/holdfast-backups"
mkdir -p "$folder"
backup=$(holdfast backup Harbour --name nightly --quiet --jq .id)
holdfast export Harbour "$folder/harbour-$(date +%F).yaml" --backup "$backup" --quiet > /dev/null
# Files go after 30 days, and of the backups of this script the newest seven stay: plans have a limit.
find "$folder" -mindepth 1 -maxdepth 1 -name 'harbour-*' -mtime +30 -exec rm -r {} +
holdfast backups list Harbour --all --quiet \\
  --jq '[.[] | select(.name == "nightly")] | sort_by(.createdAt) | reverse | .[7:][].id' |
  while read -r old; do holdfast backups delete Harbour "$old" --yes --quiet > /dev/null; done
\`\`\`

And these are the lines for \`crontab -e\`. Nothing is printed unless something fails, which cron then reports by mail:

\`\`\`
PATH=/usr/local/bin:/usr/bin:/bin
30 3 * * * "$HOME/bin/holdfast-nightly"
\`\`\`

The file holds settings, roles, channels, emojis, stickers, sounds, AutoMod, onboarding and welcome screen, and
\`holdfast apply Harbour <file>\` makes a server so again. Members, bans and messages are in the backup that the service keeps,
and not in the file. The key ends on the day that you chose when you approved it, at most a year later: the script then fails
with exit code 3. No key belongs into the crontab itself, whose lines every list of processes shows.

### A check in CI that nobody has changed the server

A whole workflow, with one key that only reads and another that applies: [a community as code](community-as-code.md#in-ci).

### Which servers need a look

\`\`\`sh
holdfast servers list --all --jq '.[] | select(.health != "GOOD") | .name'
\`\`\`

### What a restore would do, before it does it

\`\`\`sh
holdfast restore Harbour good --dry-run                       # a repair: what is there and the same stays
holdfast restore Harbour good --components roles --dry-run    # a repair of the roles alone
holdfast restores plan Harbour good                           # mode REPLACE: every channel is made anew
\`\`\`

![A backup, and what a restore of it would do](recordings/backup.svg)

### Recover a server

\`\`\`sh
holdfast recover Harbour
\`\`\`

![The channels are restored, then the members return](recordings/recover.svg)

### Recover from the terminal of a phone

40 columns are enough. On Android, Termux has Node (\`pkg install nodejs\`); from an iPhone, sign in to any machine with Node by
SSH. Then:

\`\`\`sh
npm install --global @holdfast/cli@1.0.0
holdfast login --url https://holdfast.example.com
\`\`\`

It prints a link and a code. Open the link in the browser of the phone, compare the code, approve, and go back to the terminal:

\`\`\`sh
holdfast recover Harbour --dry-run
holdfast recover Harbour
\`\`\`

The first shows what would be made again, the second shows it, asks for the name of the server, repairs it from the last good
backup and brings members back. Ctrl-C, a closed terminal or a lost connection end only the watching: the job that runs goes
on. Come back with:

\`\`\`sh
holdfast watch restore <restore>
holdfast watch pull <pull>
\`\`\`

Where the terminal was gone before members were brought back, \`holdfast pull Harbour\` does that.`;
