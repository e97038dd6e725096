import { PageHead } from '../../parts/page-head.tsx';

export const Account = () => <PageHead title="Account" />;
