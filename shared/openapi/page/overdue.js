const dialog = document.querySelector('#overdue');

/** The response as text; of a request without a response, the reason. */
const send = async (target, token) => {
  try {
    const response = await fetch(target, { headers: { authorization: `Bearer ${token}` } });
    const body = JSON.stringify(await response.json(), null, 2);
    return response.ok ? body : `${response.status} ${response.statusText}\n\n${body}`;
  } catch (error) {
    return `No response could be read: ${error.message}`;
  }
};

/** Sends the request for the overdue invoices of an account, and shows it with its response. */
const showOverdue = async (token) => {
  const today = new Date().toISOString().slice(0, 10);
  const target = `/v1/invoices?status=open&sort=due_date&due_before=${today}`;
  dialog.querySelector('pre').textContent = `GET ${target}\n\n${await send(target, token)}`;
  dialog.showModal();
};

/** @param {() => string} getToken the token that is selected at the time of the click */
export const offerOverdue = (getToken) => {
  document.querySelector('#hide-overdue').addEventListener('click', () => dialog.close());
  document.querySelector('#show-overdue').addEventListener('click', () => showOverdue(getToken()));
};
