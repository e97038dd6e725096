import { Badge } from '@mantine/core';

/** Whether a drill has shown that a backup can be restored. */
export const BackupProof = ({ restorable }: { restorable: boolean | null }) => {
  if (restorable === null)
    return (
      <Badge variant="light" color="gray" tt="none">
        not proved yet
      </Badge>
    );
  return restorable ? (
    <Badge variant="light" color="green" tt="none">
      proved to restore
    </Badge>
  ) : (
    <Badge variant="light" color="red" tt="none">
      failed its drill
    </Badge>
  );
};
