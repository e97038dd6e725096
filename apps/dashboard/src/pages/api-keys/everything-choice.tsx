import { Alert, Checkbox } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';

type EverythingChoiceProps = { isChosen: boolean; onChange: (isChosen: boolean) => void };

/** Apart from the scopes, so that nobody takes it along by accident. */
export const EverythingChoice = ({ isChosen, onChange }: EverythingChoiceProps) => (
  <>
    <Checkbox
      label="Everything, now and in future (*)"
      description="Every scope, the destructive ones too. Only for what you would trust with the account itself."
      checked={isChosen}
      onChange={(event) => onChange(event.currentTarget.checked)}
    />
    {isChosen && (
      <Alert
        color="red"
        icon={<IconAlertTriangle aria-hidden />}
        title="This key can do all that the API offers"
      >
        Whoever gets hold of it can delete servers, restore backups and mint further keys.
      </Alert>
    )}
  </>
);
