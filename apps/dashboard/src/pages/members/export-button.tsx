import { Button } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { IconDownload } from '@tabler/icons-react';
import { useState } from 'react';
import { api } from '../../api.ts';
import { toCsv } from '../../labels/csv.ts';
import { errorMessage } from '../../labels/errors.ts';
import { formatCount } from '../../labels/format.ts';
import type { Member } from '../../queries/records.ts';
import type { MembersFilter } from '../../queries/servers.ts';
import type { useMemberColumns } from './member-columns.tsx';

type Columns = ReturnType<typeof useMemberColumns>['shown'];
type ExportProps = { serverId: string; filter: MembersFilter; total: number; columns: Columns };

const pageSize = 100;
/** More would keep the service busy for one reader; the API reads all of them. */
const mostExported = 10_000;

/** A file of all members that the filter finds, with the columns that are shown. */
export const ExportButton = ({ serverId, filter, total, columns }: ExportProps) => {
  const [progress, setProgress] = useState<number>();
  const exportMembers = async () => {
    setProgress(0);
    try {
      const members = await readMembers(serverId, filter, setProgress);
      download(`members-${new Date().toISOString().slice(0, 10)}.csv`, csvOf(members, columns));
      const isPart = total > mostExported;
      const message = `${formatCount(members.length)} members are in the file`;
      notifications.show({
        message: isPart
          ? `${message}, the first of ${formatCount(total)}. The API has the rest.`
          : message,
        color: isPart ? 'yellow' : 'tide',
      });
    } catch (error) {
      const title = 'The members were not exported';
      notifications.show({ title, message: errorMessage(error), color: 'red' });
    } finally {
      setProgress(undefined);
    }
  };
  const isRunning = progress !== undefined;
  return (
    <Button
      variant="default"
      size="sm"
      leftSection={<IconDownload size={18} aria-hidden />}
      disabled={isRunning || total === 0}
      onClick={exportMembers}
    >
      {isRunning ? `Reading ${formatCount(progress)}…` : 'Export as CSV'}
    </Button>
  );
};

/** Page after page; somebody who verifies meanwhile moves the pages, so each member is taken once. */
const readMembers = async (
  serverId: string,
  filter: MembersFilter,
  onProgress: (read: number) => void,
): Promise<Member[]> => {
  const members = new Map<string, Member>();
  for (let page = 1; page <= mostExported / pageSize; page++) {
    const { data, pagination } = await api.findMembers({
      params: { id: serverId },
      query: { ...filter, page, limit: pageSize },
    });
    for (const member of data) members.set(member.id, member);
    onProgress(members.size);
    if (page >= pagination.totalPages) break;
  }
  return [...members.values()];
};

const csvOf = (members: Member[], columns: Columns): string =>
  toCsv(
    ['Display name', 'Username', ...columns.map(({ header }) => header)],
    members.map((member) => [
      member.displayName,
      member.username,
      ...columns.map(({ text }) => text(member)),
    ]),
  );

const download = (name: string, text: string): void => {
  const url = URL.createObjectURL(new Blob([text], { type: 'text/csv;charset=utf-8' }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  URL.revokeObjectURL(url);
};
